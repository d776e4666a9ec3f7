const SETTLE_MS = 250; // what a round leaves behind, closing pages above all, is not the next contender's load

/**
 * Every configuration in turn; in each, the contenders one after the other (A B C, A B C, ...), so that whatever
 * else the machine does meets all of them. Ratios are of neighbours in time. Sequential and bounded: see runRound.
 */
export async function measure(contenders, configurations, { captures, rounds, sitePort, say }) {
  const results = [];
  for (const { page, title, path, clients } of configurations) {
    const order = { path, sitePort, clients, captures };
    for (const contender of contenders) await contender.run({ ...order, captures: 1 }); // warm-up, not counted
    const runs = contenders.map(() => []);
    for (let round = 1; round <= rounds; round++) {
      for (const [index, contender] of contenders.entries())
        runs[index].push(await runOnce(contender, order));
      const speeds = contenders.map(
        ({ label }, index) => `${label} ${runs[index].at(-1).perSecond.toFixed(1)}`,
      );
      say(`${title}, clients: ${clients}, round ${round} of ${rounds}, captures/s: ${speeds.join('; ')}`);
    }
    results.push({
      page,
      title,
      clients,
      contenders: contenders.map(({ label }, index) => summarise(label, runs[index], runs[0])),
    });
  }
  return results;
}

async function runOnce(contender, order) {
  await new Promise((resolve) => {
    setTimeout(resolve, SETTLE_MS);
  });
  const before = await contender.tree?.cpuMs();
  const round = await contender.run(order);
  const after = await contender.tree?.cpuMs();
  return { ...round, p50: percentile(round.durations, 50), cpuMs: (after - before) / round.completed };
}

function summarise(label, runs, ours) {
  const durations = runs.flatMap((run) => run.durations);
  const isOurs = runs === ours;
  return {
    label,
    perSecond: percentile(
      runs.map(({ perSecond }) => perSecond),
      50,
    ),
    p50: percentile(durations, 50),
    p95: percentile(durations, 95),
    cpuMs: percentile(
      runs.map(({ cpuMs }) => cpuMs),
      50,
    ),
    kilobytes: percentile(
      runs.map(({ meanBytes }) => meanBytes / 1000),
      50,
    ),
    speedRatio: isOurs ? undefined : ratioOf(ours, runs, ({ perSecond }) => perSecond),
    p50Ratio: isOurs ? undefined : ratioOf(ours, runs, ({ p50 }) => p50),
    failures: runs.reduce((sum, { failures }) => sum + failures, 0),
    firstFailure: runs.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure,
    rounds: runs,
  };
}

/** Ours by theirs, round by round: the median, and the lowest and highest. */
function ratioOf(ours, theirs, figure) {
  const ratios = ours.map((run, index) => figure(run) / figure(theirs[index])).filter(Number.isFinite);
  return { median: percentile(ratios, 50), min: Math.min(...ratios), max: Math.max(...ratios) };
}

/** Between the two nearest values, in proportion; NaN of nothing. */
function percentile(values, percent) {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b); // a round in which all failed is NaN
  const rank = ((sorted.length - 1) * percent) / 100;
  const [low, high] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return low === undefined || high === undefined ? NaN : low + (high - low) * (rank % 1);
}
