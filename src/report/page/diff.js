// Two reports: the differences of their loops.

const ofDifferences = [
  column('where', l => l.where, null, false),
  column('kind', l => l.kind, null, false),
  column('before', l => l.a_ns, l => durationText(l.a_ns)),
  column('after', l => l.b_ns, l => durationText(l.b_ns)),
  column('after / before', l => l.ratio, l => l.low === null ? ratio(l.ratio) :
    `${ratio(l.ratio)} (${ratio(l.low)}..${ratio(l.high)})`),
  column('efficiency before', l => l.a_efficiency, l => percent(l.a_efficiency)),
  column('after', l => l.b_efficiency, l => percent(l.b_efficiency)),
  column('schedule before', l => l.a_schedule || '-', null, false),
  column('after', l => l.b_schedule || '-', null, false),
  column('word', l => l.word, null, false),
];

function diffView(data) {
  return {title: 'doall diff', hint: 'function, file, schedule, word', columns: ofDifferences,
    rows: data.loops, about: data.about, group: ['Kind', l => l.kind], colours: [],
    text: l => [l.where, l.a_schedule, l.b_schedule, l.word],
    first: ['before', true], details: null};
}
