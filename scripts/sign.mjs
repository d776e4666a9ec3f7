// npm run sign -- https://example.com/ format=pdf expires_in=600: runs the command line's sign. Fields may also be
// `name=value`.
import { argv } from 'node:process';

const [node, script, ...words] = argv;
process.argv = [node, script, 'sign', ...words.map(toFlag)];
await import('../dist/programs/cli/main.js');

/** An address has a `:` before its first `=`. */
function toFlag(word) {
  const [, name, value] = /^([a-z_]+)=(.*)$/s.exec(word) ?? [];
  if (name !== undefined) return `--${name.replaceAll('_', '-')}=${value}`;
  return word.replace(/^--base(?==|$)/, '--service');
}
