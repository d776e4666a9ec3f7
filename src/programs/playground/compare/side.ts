import { CaptureError } from '../../client/capture-error.ts';
import { withScheme } from '../controls/text.ts';
import { make } from '../dom.ts';
import { capture, type Caller } from '../send.ts';
import type { Values } from '../form/values.ts';

export type SideName = 'before' | 'after';

/** The fields of a side: an address, or a picture of the visitor. */
export interface Side {
  readonly element: HTMLElement;
  /** Returns the picture. The visitor's own one is not sent before it is compared. */
  readonly read: (fields: Values, caller: Caller) => Promise<ShownSide | CaptureError>;
}

/** A picture, and the address of its page. Undefined: it is the visitor's own. */
interface ShownSide {
  readonly picture: Blob;
  readonly url: string | undefined;
}

const PICTURES = 'image/png,image/jpeg,image/webp,image/avif';

/** Creates the fields of a side. */
export function createSide(name: SideName): Side {
  const address = make('input', { id: `${name}-url`, type: 'text', inputmode: 'url', placeholder: 'example.com' });
  const file = make('input', { id: `${name}-file`, type: 'file', accept: PICTURES });
  address.addEventListener('input', () => {
    if (address.value.trim() !== '') file.value = '';
  });
  file.addEventListener('change', () => {
    if (file.files?.length === 1) address.value = '';
  });
  const take = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    if (event.type !== 'drop') return; // browsers do not name the files before
    file.files = event.dataTransfer.files;
    file.dispatchEvent(new Event('change'));
  };
  const element = make(
    'fieldset',
    { class: 'side' },
    make('legend', {}, name === 'before' ? 'Before' : 'After'),
    make('label', { for: address.id }, 'Address'),
    address,
    make('label', { for: file.id }, 'or a picture, which can be dropped here'),
    file,
  );
  // Without `dragover`, the browser opens the file in place of the page.
  for (const type of ['dragover', 'drop'] as const) element.addEventListener(type, take);
  return {
    element,
    read: async (fields, caller) => {
      const [picture] = file.files ?? [];
      if (picture !== undefined) return { picture, url: undefined };
      const text = address.value.trim();
      if (text === '')
        return ofSide(name, new CaptureError('An address or a picture is missing', { errorType: 'ValidationError' }));
      const url = withScheme(text);
      const captured = await capture({ ...fields, url, format: 'png' }, caller);
      return captured instanceof CaptureError ? ofSide(name, captured) : { picture: captured.body, url };
    },
  };
}

/** Names the side in an error of its capture. */
function ofSide(name: SideName, failure: CaptureError): CaptureError {
  const { message, errorType, status, requestId, details, retryAfter } = failure;
  const side = name === 'before' ? 'Before' : 'After';
  return new CaptureError(`${side}: ${message}`, { errorType, status, requestId, details, retryAfter });
}
