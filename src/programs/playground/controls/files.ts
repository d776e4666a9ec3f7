import { make } from '../dom.ts';
import type { FieldSchema } from '../reference.ts';
import type { Control, ControlContext } from './control.ts';

/** Contents in base64 by name. */
type Files = ReadonlyMap<string, string>;

/** A place to drop files, or to choose them. Their contents become base64. */
export function filesControl(_schema: FieldSchema, { id, describedBy, label }: ControlContext): Control {
  let files: Files = new Map();
  const input = make('input', {
    id,
    type: 'file',
    multiple: true,
    class: 'unseen',
    'aria-describedby': describedBy,
  });
  const list = make('ul', { class: 'files' });
  const changed = (): void => void list.dispatchEvent(new Event('input', { bubbles: true }));

  const show = (newFiles: Files): void => {
    files = newFiles;
    list.replaceChildren(
      ...[...files].map(([name, content]) => {
        const remove = make('button', { type: 'button', class: 'small', 'aria-label': `Remove ${name}` }, '✕');
        remove.addEventListener('click', () => {
          show(new Map([...files].filter(([other]) => other !== name)));
          changed();
          input.focus();
        });
        return make('li', {}, make('code', {}, name), ` ${sizeOf(content)} `, remove);
      }),
    );
  };
  const add = async (given: readonly File[]): Promise<void> => {
    const read = await Promise.all(given.map(async (file) => [nameOf(file), await toBase64(file)] as const));
    show(new Map([...files, ...read]));
    changed();
  };
  input.addEventListener('change', (event) => {
    event.stopPropagation(); // the files are not read yet
    void add([...(input.files ?? [])]).then(() => (input.value = ''));
  });

  const zone = make('label', { for: id, class: 'drop' }, 'Drop files here, or choose them');
  for (const name of ['dragenter', 'dragover'])
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.add('is-over');
    });
  for (const name of ['dragleave', 'drop']) zone.addEventListener(name, () => zone.classList.remove('is-over'));
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    void add([...(event.dataTransfer?.files ?? [])]);
  });

  return {
    element: make('fieldset', { 'aria-describedby': describedBy }, make('legend', {}, label), input, zone, list),
    inputs: [input],
    isGroup: true,
    read: () => (files.size === 0 ? undefined : Object.fromEntries(files)),
    write: (value) => {
      const entries = Object.entries(Object(value)).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      );
      show(new Map(entries));
    },
  };
}

/** The path in a chosen folder, without the name of the folder itself. */
function nameOf({ name, webkitRelativePath: path }: File): string {
  return path === '' ? name : path.slice(path.indexOf('/') + 1);
}

async function toBase64(file: File): Promise<string> {
  const reader = new FileReader();
  await new Promise((resolve, reject) => {
    reader.addEventListener('load', resolve);
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file could not be read')));
    reader.readAsDataURL(file);
  });
  const address = typeof reader.result === 'string' ? reader.result : '';
  return address.slice(address.indexOf(',') + 1);
}

function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} kB`;
}
