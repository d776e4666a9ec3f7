// npm run docs:pictures: makes the pictures of docs/images/ with the service itself.
import { readFile, writeFile } from 'node:fs/promises';
import { startService } from '../test/support/service.ts';

const root = new URL('../', import.meta.url);
await using stack = new AsyncDisposableStack();
const service = stack.use(await startService({}));
const html_content = await read('docs/images/page.html');

const files = {
  'desktop.png': await capture({ html_content, window_height: 800, pixel_density: 1.5 }),
  'phone.png': await capture({ html_content, device: 'iPhone 15' }),
  'page.pdf': await capture({ html_content, format: 'pdf', pdf_format: 'A4' }),
  'page.md': await capture({ html_content, format: 'markdown' }),
  'pdf.mjs': await readFile(new URL('node_modules/pdfjs-dist/build/pdf.mjs', root)),
  'pdf.worker.mjs': await readFile(new URL('node_modules/pdfjs-dist/build/pdf.worker.mjs', root)),
};
const overview = {
  html_content: await read('docs/images/overview.html'),
  wait_for_selector: '[data-ready]',
  window_width: 1600,
  window_height: 100,
  full_page: true,
  format: 'webp',
};
await write('overview.webp', await capture(overview, files));

// Another service captures the playground, because no page reaches the service that captures it.
const shown = stack.use(await startService({}, { stores: true }));
const setup = new URLSearchParams({ html_content, format: 'png', full_page: 'true' });
const playground = {
  url: `${shown.url}/#${setup}`,
  actions: [
    { type: 'wait', selector: '[data-ready]' },
    { type: 'click', selector: '#capture' },
    { type: 'wait', selector: '[data-state=captured]' },
  ],
  window_width: 1440,
  window_height: 900,
  format: 'webp',
};
await write('playground.webp', await capture(playground));

async function capture(fields, attached = {}) {
  const body = new FormData();
  body.append('request', JSON.stringify(fields));
  for (const [name, bytes] of Object.entries(attached)) body.append(name, new Blob([bytes]), name);
  const answer = await fetch(`${service.url}/capture`, { method: 'POST', body });
  if (!answer.ok) throw new Error(await answer.text());
  const warnings = answer.headers.get('X-Capture-Warnings');
  if (warnings !== null) throw new Error(`The picture has warnings: ${warnings}`);
  return new Uint8Array(await answer.arrayBuffer());
}

function read(path) {
  return readFile(new URL(path, root), 'utf8');
}

async function write(name, bytes) {
  await writeFile(new URL(`docs/images/${name}`, root), bytes);
  console.log(`docs/images/${name}: ${bytes.length} bytes`);
}
