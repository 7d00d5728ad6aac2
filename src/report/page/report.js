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

// Of what chose a schedule, two words; the sentence is their title.
const whys = {
  'its source names it': ['source', 'Its clause, or its call, names the schedule.'],
  'steered': ['steered', '--schedule, DOALL_SCHEDULE or doall_set_schedule() names it.'],
  'run-sched-var': ['run-sched', 'OMP_SCHEDULE or omp_set_schedule() names it.'],
  'names none: as compiled': ['as compiled', 'Nobody names one: as the compiler would.'],
  "nowait: keeps static's blocks": ['before nowait',
    'Static: no barrier is between this loop and another one, which may rely on its threads.'],
  'must be monotonic': ['monotonic', 'Its order allows no other than dynamic.'],
  'nonmonotonic: stolen from partitions': ['any order',
    'It is dynamic, and may run in any order: dealt from partitions, and stolen.'],
  'sections: one at a time': ['sections', 'Sections are dealt one at a time, whatever is set.'],
  'costs are told': ['told costs', 'The program tells what its iterations cost.'],
  'one worker': ['one worker', 'It has one worker, or one iteration.'],
  'auto: cost not known yet': ['auto, new', 'auto, in a first run: the cost is not known.'],
  'auto: too short to be shared': ['auto, alone', 'auto: sharing costs more than it gains.'],
  'auto: gained nothing when shared': ['auto, alone', 'auto: it gained nothing when shared.'],
  'auto: tried alone': ['auto, trial', 'auto: tried alone, to compare.'],
  'auto: too short to be balanced': ['auto, blocks', 'auto: a block for each worker.'],
  'auto: long enough to be balanced': ['auto, balanced', 'auto: long enough to be balanced.'],
  'auto: short loops are shared, too': ['auto, shared', 'auto: DOALL_SMALL_LOOPS shares it.'],
  'auto: blocks cut by their times': ['auto, cut', 'auto: blocks, cut by what they took.'],
  'auto: frozen': ['auto, frozen', 'auto: as this site chose before, for good.'],
  'auto: loaded': ['auto, loaded', 'auto: as this site chose in another process.'],
  'nested: shared if others are idle': ['nested', 'In an iteration of another loop.'],
  'stolen from: it splits, or others are busy': ['stolen from',
    'Its schedule splits it, or the workers are busy.'],
};

function whyCell(loop) {
  const known = whys[loop.why];
  return known ? make('span', {title: `${loop.why}. ${known[1]}`}, known[0]) : loop.why;
}

const isLoop = loop => loop.kind !== 'region';
const ofALoop = (value, text) => loop => isLoop(loop) ? text(value(loop)) : '-';

function savedCell(loop) {
  const saved = loop.advice.saved_share;
  if (saved === null || saved === undefined) return '-';
  return make('span', {title: loop.advice.text}, percent(saved));
}

const ofLoops = [
  column('where', l => l.where, null, false),
  column('kind', l => l.kind, null, false),
  column('time', l => l.wall_ns, l => durationText(l.wall_ns)),
  column('share of run', l => l.share, l => percent(l.share)),
  column('can be saved', l => l.advice.saved_share, savedCell),
  column('workers\u2019 time', l => l.split.worker_time_ns - l.split.work_ns, splitBar, false),
  column('efficiency', l => l.parallel_efficiency, l => percent(l.parallel_efficiency)),
  column('imbalance', l => l.imbalance, l => ratio(l.imbalance)),
  column('overhead', l => l.overhead, l => percent(l.overhead)),
  column('calls', l => l.calls),
  column('iterations', l => isLoop(l) ? l.iterations : null, ofALoop(l => l.iterations, String)),
  column('workers', l => l.workers),
  column('schedule', l => l.schedule, null, false),
  column('why', l => l.why, whyCell, false),
  column('stolen', l => isLoop(l) ? l.chunks_stolen : null,
    ofALoop(l => l.chunks_stolen, String)),
  column('stayed', l => isLoop(l) ? l.stayed : null, ofALoop(l => l.stayed, part => percent(part))),
];

const processText = p => (p.rank === undefined ? '' : `rank ${p.rank}, `) +
  `${p.program.split('/').pop()} ${p.pid}`;
const ofProcesses = column('process', l => l.processes, l => l.processes, false);

// One line for what several processes have of the same place: their sums. The longest one's advice,
// chart and source stand for all.
function merged(loops) {
  const all = new Map();
  for (const loop of loops) {
    const key = JSON.stringify([loop.kind, loop.where]);
    all.set(key, [...(all.get(key) || []), loop]);
  }
  return [...all.values()].map(same => {
    if (same.length === 1) return same[0];
    const longest = same.reduce((a, b) => b.wall_ns > a.wall_ns ? b : a);
    const sum = of => same.reduce((total, l) => total + of(l), 0);
    const split = {};
    for (const part of ['worker_time_ns', ...parts.map(p => p + '_ns')])
      split[part] = sum(l => l.split[part]);
    const saved = same.filter(l => l.advice.saved_share !== null);
    return Object.assign({}, longest, {split, calls: sum(l => l.calls),
      calls_in_detail: sum(l => l.calls_in_detail), iterations: sum(l => l.iterations),
      wall_ns: sum(l => l.wall_ns), share: sum(l => l.share),
      chunks_stolen: sum(l => l.chunks_stolen), imbalance: null, overhead: null, stayed: null,
      parallel_efficiency: split.worker_time_ns > 0 ? split.work_ns / split.worker_time_ns : null,
      processes: `${same.length} processes`,
      advice: Object.assign({}, longest.advice, {saved_share: saved.length === 0 ? null :
        saved.reduce((total, l) => total + l.advice.saved_share, 0)})});
  });
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
  if (loop.advice.saved_share !== null) {
    advice.push(make('p', {class: 'faint'}, `It saves up to ${durationText(loop.advice.saved_ns)}, ` +
      `${percent(loop.advice.saved_share)} of the run.`));
  }
  const command = loop.process.command || loop.process.program;
  if (loop.advice.schedule)
    advice.push(make('pre', {}, `doall run --schedule='${loop.advice.schedule}' ${command}`));
  if (loop.advice.settings)
    advice.push(make('pre', {}, `${loop.advice.settings} doall run ${command}`));
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

function aboutRun(data) {
  const run = data.run;
  const processes = data.processes.length;
  // That one is doall run's own.
  const settings = run.settings.split(' ').filter(one => one !== 'DOALL_DEFAULT_SCHEDULE=auto')
    .join(' ');
  return `${run.command}: ${durationText(run.wall_ns)} on ${run.date.replace('T', ' ')}, ` +
    (run.workers > 0 ? `${run.workers} workers on ` : '') + `${run.cpus} CPUs` +
    (processes > 1 ? `, ${processes} processes with loops` : '') +
    (settings ? `; set: ${settings}` : '; nothing set') +
    (run.missing ? `. ${run.missing}` : '');
}

function reportView(data) {
  const several = data.processes.length > 1;
  const loops = data.processes.flatMap(process => process.loops.map(loop =>
    Object.assign(loop, {process, processes: processText(process)})));
  return {title: 'doall report', hint: 'function, file, schedule, advice',
    columns: several ? [...ofLoops, ofProcesses] : ofLoops, rows: loops,
    merge: several ? {label: 'one line for all processes', rows: merged(loops)} : null,
    about: aboutRun(data), group: ['Kind', l => l.kind], colours: parts,
    text: l => [l.where, l.function, l.file, l.schedule, l.why, l.advice.text, l.processes],
    first: ['time', true], details};
}
