// A report: its loops, and what opens under one.

const parts = ['work', 'scheduling', 'waiting', 'idle'];

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

// Says that only some calls were counted in detail.
function inDetail(loop) {
  if (loop.calls_in_detail >= loop.calls) return null;
  return make('p', {class: 'faint'}, `${loop.calls_in_detail.toLocaleString('en')} of ` +
    `${loop.calls.toLocaleString('en')} calls were counted in detail, for they are short. These ` +
    'times, chunks and steals are scaled from them to all.');
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
  box.append(section('Workers\u2019 time', split, inDetail(loop)));
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
    const of = loop.calls_in_detail < loop.calls ? ' of those in detail' : '';
    box.append(section(`Slowest call${of}: number ${loop.slowest_call.call + 1}, ` +
      durationText(loop.slowest_call.ns), timeline(loop.slowest_call), make('p',
      {class: 'faint zoom'}, 'Within a worker, work comes first and scheduling after it, ' +
        'whatever their order was. Wheel or + and - zoom, arrows pan, 0 shows all.')));
  }
  return box;
}

function aboutProcesses(processes) {
  return processes.map(p => `${p.program}: process ${p.pid}, ${p.threads} threads` +
    (p.rank === undefined ? '' : `, rank ${p.rank}`)).slice(0, 4).join('; ') +
    (processes.length > 4 ? `; and ${processes.length - 4} more processes` : '');
}

function reportView(data) {
  return {title: 'doall report', hint: 'function, file, schedule, advice', columns: ofLoops,
    rows: data.processes.flatMap(process => process.loops.map(loop =>
      Object.assign(loop, {process}))),
    about: aboutProcesses(data.processes), group: ['Kind', l => l.kind], colours: parts,
    text: l => [l.where, l.function, l.file, l.schedule, l.why, l.advice.text],
    first: ['time', true], details};
}
