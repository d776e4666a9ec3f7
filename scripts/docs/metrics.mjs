const FINISHED_REQUEST = {
  route: 'capture',
  status: 200,
  errorType: 'RateLimitError',
  routeClass: 'capture',
  cache: 'HIT',
  seconds: 1,
};
const FINISHED_CAPTURE = {
  format: 'png',
  outcome: 'success',
  timings: { queue: 1, navigate: 1, ahead: 1, wait: 1, render: 1 },
  blockedRequests: 1,
  filteredRequests: 1,
};
const BUDGET = { state: () => ({ limitBytes: 0, usedBytes: 0, refusals: 0 }) };
const STATE = {
  pool: () => ({ size: 0, busy: 0, waiting: 0 }),
  browser: () => ({ state: 'running', restartsByReason: { crashed: 0 } }),
  cache: () => ({ entries: 0, bytes: 0 }),
  budgets: { bodies: BUDGET, answers: BUDGET },
};

/**
 * Returns name, type, labels and help of each metric, read from the Prometheus output after one request, capture,
 * storage call, webhook and job. Before these, a metric shows no labels.
 */
export async function describeMetrics({ createMetrics, prefix }) {
  const metrics = createMetrics(STATE);
  metrics.recordRequest(FINISHED_REQUEST);
  metrics.recordCapture(FINISHED_CAPTURE);
  metrics.recordStorage({ operation: 'put', outcome: 'success', bytes: 1 });
  metrics.recordWebhook('delivered');
  metrics.recordJob('done');
  const lines = (await metrics.render()).split('\n');

  return lines
    .filter((line) => line.startsWith(`# HELP ${prefix}`))
    .map((line) => {
      const [, , name, ...help] = line.split(' ');
      const kind = lines.find((each) => each.startsWith(`# TYPE ${name} `))?.split(' ')[3];
      const sample = lines.find((each) => new RegExp(`^${name}(_bucket)?[{ ]`).test(each)) ?? '';
      const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label]) => label);
      return { name, kind, labels: labels.filter((label) => label !== 'le'), help: help.join(' ') };
    });
}
