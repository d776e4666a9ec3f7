// Runs one benchmark: `npm run bench -- [name] [arguments]`. The arguments are described at the top of
// bench/<name>.mjs.
const NAMES = [
  'compare',
  'cached',
  'chaos',
  'gate',
  'job-chaos',
  'job-load',
  'job-replicas',
  'job-store',
  'keys',
  'markdown',
  'markdown-kinds',
  'pages',
  'queue',
  'redis-chaos',
  'soak',
  'tall',
  'templates',
];

const [node, script, first = '', ...rest] = process.argv;
const hasName = first !== '' && !first.startsWith('-');
const name = hasName ? first : 'compare';
if (NAMES.includes(name)) {
  // as if the benchmark had been started directly
  process.argv = [node, script, ...(hasName ? rest : process.argv.slice(2))];
  await import(`./${name}.mjs`);
} else {
  console.error(`bench: there is no benchmark "${name}"; choose one of ${NAMES.join(', ')}`);
  process.exitCode = 2;
}
