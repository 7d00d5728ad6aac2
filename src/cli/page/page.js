// The table of loops or, of two reports, of their differences; and what opens under a loop.

const data = JSON.parse(document.getElementById('data').textContent);
const parts = ['work', 'scheduling', 'waiting', 'idle'];
const byId = id => document.getElementById(id);
const percent = part => part === null || part === undefined ? '-' : (100 * part).toFixed(1) + '%';
const ratio = value => value === null || value === undefined ? '-' : value.toFixed(2);

// A column: its head, what it sorts by, its text (or a node), and whether it is a number.
function column(head, key, show, isNumber = true) {
  return {head, key, show: show || (loop => String(key(loop))), isNumber};
}

function splitBar(loop) {
  const split = loop.split;
  const bar = make('div', {class: 'bar', role: 'img', 'aria-label':
    parts.map(p => `${p} ${percent(share(split, p))}`).join(', ')});
  bar.title = bar.getAttribute('aria-label');
  const stops = [];
  let at = 0;
  for (const p of parts) {
    const end = at + 100 * share(split, p);
    stops.push(`var(--${p}) ${at.toFixed(1)}% ${end.toFixed(1)}%`);
    at = end;
  }
  bar.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
  return bar;
}

function share(split, part) {
  return split.worker_time_ns > 0 ? split[part + '_ns'] / split.worker_time_ns : 0;
}

const ofLoops = [
  column('where', l => l.where, null, false),
  column('kind', l => l.kind, null, false),
  column('time', l => l.wall_ns, l => durationText(l.wall_ns)),
  column('workers\u2019 time', l => l.split.worker_time_ns - l.split.work_ns, splitBar, false),
  column('efficiency', l => l.parallel_efficiency, l => percent(l.parallel_efficiency)),
  column('imbalance', l => l.imbalance, l => ratio(l.imbalance)),
  column('overhead', l => l.overhead, l => percent(l.overhead)),
  column('calls', l => l.calls),
  column('iterations', l => l.iterations),
  column('workers', l => l.workers),
  column('schedule', l => l.schedule, null, false),
  column('why', l => l.why, null, false),
  column('stolen', l => l.chunks_stolen),
  column('stayed', l => l.stayed, l => percent(l.stayed)),
];

const ofDifferences = [
  column('where', l => l.where, null, false),
  column('kind', l => l.kind, null, false),
  column('before', l => l.a_ns, l => durationText(l.a_ns)),
  column('after', l => l.b_ns, l => durationText(l.b_ns)),
  column('after / before', l => l.ratio, l => ratio(l.ratio)),
  column('efficiency before', l => l.a_efficiency, l => percent(l.a_efficiency)),
  column('after', l => l.b_efficiency, l => percent(l.b_efficiency)),
  column('schedule before', l => l.a_schedule || '-', null, false),
  column('after', l => l.b_schedule || '-', null, false),
  column('word', l => l.word, null, false),
];

const isDiff = String(data.schema).startsWith('doall-diff');
const columns = isDiff ? ofDifferences : ofLoops;
const loops = isDiff ? data.loops : data.processes.flatMap(process =>
  process.loops.map(loop => Object.assign(loop, {process})));

function section(title, ...content) {
  return make('section', {}, make('h2', {}, title), ...content);
}

function sourceOf(loop) {
  if (!loop.source) return null;
  const text = make('pre');
  loop.source.lines.forEach((line, n) => {
    const number = loop.source.first_line + n;
    const shown = `${String(number).padStart(5)}  ${line}\n`;
    text.append(number === loop.line ? make('b', {}, shown) : shown);
  });
  return section(`${loop.file}:${loop.line}`, text);
}

// Says that the page has fewer groups than the report.
function thinned(loop, name, what) {
  if (!loop.of || !loop.of[name]) return null;
  return make('p', {class: 'faint'}, `${loop.of[name].toLocaleString('en')} ${what} are drawn as ` +
    `${loop[name].length}, by their means.`);
}

function details(loop) {
  const box = make('div', {class: 'parts'});
  const advice = [make('p', {}, loop.advice.text + '.')];
  if (loop.advice.machine) {
    advice.push(make('p', {class: 'faint'},
      `Predicted on the model ${loop.advice.machine}, from what its iterations cost.`));
  }
  if (loop.advice.schedule) {
    advice.push(make('pre', {},
      `doall run --schedule='${loop.advice.schedule}' ${loop.process.program}`));
  }
  box.append(section('Advice', ...advice));
  const split = make('table');
  for (const p of parts) {
    split.append(make('tr', {}, make('td', {}, p),
      make('td', {class: 'number'}, durationText(loop.split[p + '_ns'])),
      make('td', {class: 'number'}, percent(share(loop.split, p)))));
  }
  box.append(section('Workers\u2019 time', split));
  const source = sourceOf(loop);
  if (source) box.append(source);
  if (loop.over_calls.length > 1) box.append(section('Time over calls',
    overCalls(loop.over_calls), thinned(loop, 'over_calls', 'groups of calls')));
  if (loop.costs.length > 0) {
    box.append(section('Where the cost lies',
      overIterations(loop.costs), thinned(loop, 'costs', 'parts')));
    box.append(section('What iterations cost', histogram(loop.cost_histogram)));
  }
  if (loop.slowest_call && loop.slowest_call.workers.length > 0 && loop.slowest_call.ns > 0) {
    box.append(section(`Slowest call: number ${loop.slowest_call.call + 1}, ` +
      durationText(loop.slowest_call.ns), timeline(loop.slowest_call), make('p',
      {class: 'faint zoom'}, 'Within a worker, work comes first and scheduling after it, ' +
        'whatever their order was. Wheel or + and - zoom, arrows pan, 0 shows all.')));
  }
  return box;
}

function toggle(row, loop) {
  const open = row.nextSibling;
  if (open && open.classList.contains('details')) {
    open.remove();
    row.setAttribute('aria-expanded', 'false');
    return;
  }
  row.setAttribute('aria-expanded', 'true');
  row.after(make('tr', {class: 'details'},
    make('td', {colspan: columns.length}, details(loop))));
}

function makeRow(loop) {
  const row = make('tr', {class: 'loop', tabindex: 0});
  for (const c of columns) {
    const look = c.isNumber ? 'number' : c.head === 'where' ? 'where' : '';
    row.append(make('td', {class: look}, c.show(loop)));
  }
  if (isDiff) return row;
  row.setAttribute('aria-expanded', 'false');
  row.addEventListener('click', () => toggle(row, loop));
  return row;
}

// Rows are made once; sorting moves them, searching hides them.
const rows = loops.map(loop => ({loop, row: makeRow(loop), text:
  [loop.where, loop.function, loop.file, loop.schedule, loop.a_schedule, loop.b_schedule, loop.why,
    loop.word, loop.advice && loop.advice.text].join(' ').toLowerCase()}));

function sortBy(c, head, descending) {
  for (const other of byId('heads').children) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const missing = value => value === null || value === undefined;
  rows.sort((one, two) => {
    const a = c.key(one.loop);
    const b = c.key(two.loop);
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    const order = typeof a === 'string' ? a.localeCompare(b) : a - b;
    return descending ? -order : order;
  });
  const all = document.createDocumentFragment();
  for (const {row} of rows) {
    const open = row.nextSibling;
    all.append(row);
    if (open && open.classList.contains('details')) all.append(open);
  }
  byId('rows').append(all);
}

function search() {
  const wanted = byId('search').value.toLowerCase();
  const kind = byId('kind').value;
  let shown = 0;
  for (const {loop, row, text} of rows) {
    row.hidden = !text.includes(wanted) || (kind !== '' && loop.kind !== kind);
    const open = row.nextSibling;
    if (open && open.classList.contains('details')) open.hidden = row.hidden;
    if (!row.hidden) ++shown;
  }
  byId('count').textContent = `${shown} of ${rows.length}`;
}

function neighbour(row, forwards) {
  const next = forwards ? 'nextSibling' : 'previousSibling';
  let at = row[next];
  while (at && (at.hidden || !at.classList.contains('loop'))) at = at[next];
  return at;
}

function begin() {
  byId('first').textContent = data.first;
  byId('about').textContent = isDiff ? data.about : data.processes.map(p =>
    `${p.program}: process ${p.pid}, ${p.threads} threads` +
    (p.rank === undefined ? '' : `, rank ${p.rank}`)).slice(0, 4).join('; ') +
    (data.processes.length > 4 ? `; and ${data.processes.length - 4} more processes` : '');
  for (const kind of new Set(loops.map(l => l.kind))) byId('kind').append(make('option', {}, kind));
  if (!isDiff) {
    for (const p of parts)
      byId('key').append(make('span', {}, make('i', {class: p}), p));
  }
  columns.forEach(c => {
    const head = make('th', {scope: 'col'}, make('button', {type: 'button'}, c.head));
    head.addEventListener('click', () =>
      sortBy(c, head, head.getAttribute('aria-sort') ?
        head.getAttribute('aria-sort') === 'ascending' : c.isNumber || c.show === splitBar));
    byId('heads').append(head);
  });
  const byTime = columns.findIndex(c => c.head === 'time' || c.head === 'before');
  sortBy(columns[byTime], byId('heads').children[byTime], true);
  search();
  byId('search').addEventListener('input', search);
  byId('kind').addEventListener('change', search);
  document.addEventListener('keydown', event => {
    if (event.key === '/' && event.target !== byId('search')) {
      event.preventDefault();
      byId('search').focus();
    }
    if (!event.target.classList || !event.target.classList.contains('loop')) return;
    if (event.key === 'Enter' || event.key === ' ') event.target.click();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      neighbour(event.target, event.key === 'ArrowDown')?.focus();
    else return;
    event.preventDefault();
  });
  window.addEventListener('beforeprint', () => {
    const few = rows.filter(({row}) => !row.hidden).slice(0, 5);
    if (isDiff) return;
    for (const {row, loop} of few)
      if (row.getAttribute('aria-expanded') === 'false') toggle(row, loop);
  });
}

begin();
