// What `doall compare` ran: how long each took, and how that relates to each of libgomp's.

const figure = value =>
  Math.abs(value) < 1e4 ? value.toPrecision(4) : String(Math.round(value));
const rangeText = of => `${figure(of.min)}..${figure(of.max)}`;

// The lowest and the highest of all intervals, and 1: one scale for every line of a column.
function scaleOf(rows, peer) {
  const ends = rows.map(row => row.to_libgomp[peer]).filter(to => to)
    .flatMap(to => to.low === null ? [to.ratio] : [to.low, to.high]);
  return {low: Math.min(1, ...ends), high: Math.max(1, ...ends)};
}

// A ratio as a dot, its interval as a line, and an upright line at 1.
function intervalBar(to, scale) {
  const width = 120;
  const height = 12;
  const x = value => 4 + (width - 8) *
    (scale.high > scale.low ? (value - scale.low) / (scale.high - scale.low) : 0.5);
  const node = draw('svg', {class: 'interval', width, height, role: 'img',
    viewBox: `0 0 ${width} ${height}`,
    'aria-label': to.low === null ? 'no interval' : `${ratio(to.low)} to ${ratio(to.high)}`});
  node.append(draw('line', {class: 'one', x1: x(1), x2: x(1), y1: 0, y2: height}));
  if (to.low !== null) {
    node.append(draw('line', {class: 'range', x1: x(to.low), x2: x(to.high), y1: height / 2,
      y2: height / 2}));
  }
  node.append(draw('circle', {class: to.word === 'noise' ? 'noise' : 'dot', cx: x(to.ratio),
    cy: height / 2, r: 3}));
  return node;
}

function ratioCell(to, scale) {
  if (!to) return '-';
  if (to.word === null) return ratio(to.ratio);
  const interval = to.low === null ? '' : ` (${ratio(to.low)}..${ratio(to.high)})`;
  return make('div', {}, `${ratio(to.ratio)}${interval} ${to.word}`, intervalBar(to, scale));
}

// What each round gave, in the order of the rounds; dashed: libgomp's best.
function overRounds(row, peer) {
  const most = Math.max(...row.samples, ...(peer ? peer.samples : []));
  const chart = axes('each round', row.samples.length, most, countText, figure,
    peer ? 'round; dashed: libgomp ' + peer.schedule : 'round');
  for (const [samples, look] of [[row.samples, 'curve'], [peer ? peer.samples : [], 'most']]) {
    let path = '';
    samples.forEach((value, n) => {
      path += `${path ? 'L' : 'M'}${chart.x(n)} ${chart.y(value)}L${chart.x(n + 1)} ${chart.y(value)}`;
    });
    chart.node.append(draw('path', {class: look, d: path}));
  }
  return chart.node;
}

const shellWord = word => /^[\w@%+=:,./-]+$/.test(word) ? word :
  `'${word.replaceAll("'", "'\\''")}'`;

function commandOf(row, program) {
  const settings = row.settings.map(one => shellWord(one) + ' ').join('');
  const isSchedule = row.set === 'schedule';
  if (row.runtime === 'libgomp') {
    const schedule = isSchedule ? `OMP_SCHEDULE=${shellWord(row.schedule)} ` : '';
    return settings + schedule + program;
  }
  const threads = row.threads ? `--threads=${row.threads} ` : '';
  return settings + 'doall run ' + threads + (isSchedule ? `--schedule=${shellWord(row.schedule)} ` : '') +
    program;
}

function compareView(data) {
  const peers = data.rows.filter(row => row.runtime === 'libgomp' &&
    row.schedule in row.to_libgomp);
  const best = peers.reduce((one, two) => one && one.median <= two.median ? one : two, null);
  const program = data.program.map(shellWord).join(' ');
  const columns = [
    column('runtime', r => r.runtime, null, false),
    column('set', r => r.set, null, false),
    column('to', r => r.schedule, r => r.best ? r.schedule + ' (best)' : r.schedule, false),
    column('median ' + (data.metric === 'wall_s' ? 's' : data.metric), r => r.median,
      r => figure(r.median)),
    column('min..max', r => r.max - r.min, rangeText),
  ];
  for (const {schedule} of peers) {
    const scale = scaleOf(data.rows, schedule);
    columns.push(column(`/ libgomp ${schedule}`, r => r.to_libgomp[schedule]?.ratio,
      r => ratioCell(r.to_libgomp[schedule], scale)));
  }
  columns.push(column('imbalance', r => r.imbalance, r => ratio(r.imbalance)));
  columns.push(column('answers', r => r.answers.word, r => r.answers.word.startsWith('differs') ?
    make('b', {class: 'warning'}, r.answers.word) : r.answers.word, false));
  const details = row => make('div', {class: 'parts'},
    section('Rounds', overRounds(row, row === best ? null : best)),
    section('To run it again', make('pre', {}, commandOf(row, program))));
  return {title: 'doall compare', hint: 'schedule, word', columns, rows: data.rows,
    about: `${program}. ${data.about}.`, group: ['What is set', r => r.set], colours: [],
    text: r => [r.runtime, r.set, r.schedule, r.answers.word, ...Object.values(r.to_libgomp).map(to => to?.word)],
    first: [columns[3].head, false], details};
}
