import { explanationLink, make } from '../dom.ts';
import type { CaptureError } from '../../client/capture-error.ts';

/** Shows an error of the service, with the fields that it names: theirs may be out of sight. */
export function failureNotice(failure: CaptureError): HTMLElement {
  const { errorType, status, message, details, retryAfter, requestId } = failure;
  const again = retryAfter === undefined ? undefined : make('p', {}, `Try again in ${retryAfter} s.`);
  return make(
    'div',
    { class: 'notice failure' },
    make('p', { class: 'failure-title' }, `${message}.`.replace(/([.!?])\.$/, '$1')),
    details === undefined ? undefined : make('p', {}, details),
    again,
    make(
      'p',
      { class: 'hint' },
      explanationLink(errorType),
      ...[status === undefined ? '' : `status ${status}`, requestId ?? '']
        .filter((part) => part !== '')
        .map((part) => ` · ${part}`),
    ),
  );
}
