import { explanationLink, make } from '../dom.ts';
import type { CaptureError } from '../../client/capture-error.ts';

/** Shows an error of the service. @param isMarked true if the form shows the details at its fields */
export function failureNotice(
  { errorType, status, message, details, retryAfter, requestId }: CaptureError,
  isMarked = false,
): HTMLElement {
  const again = retryAfter === undefined ? undefined : make('p', {}, `Try again in ${retryAfter} s.`);
  return make(
    'div',
    { class: 'notice failure' },
    make('p', { class: 'failure-title' }, `${message}.`.replace(/([.!?])\.$/, '$1')),
    details === undefined || isMarked ? undefined : make('p', {}, details),
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
