import { explanationLink, make } from '../dom.ts';
import type { Failure } from '../service-calls.ts';

/** Shows an error of the service. */
export function failureNotice({ type, status, message, details, retryAfterSeconds, requestId }: Failure): HTMLElement {
  const again = retryAfterSeconds === undefined ? undefined : make('p', {}, `Try again in ${retryAfterSeconds} s.`);
  return make(
    'div',
    { class: 'notice failure' },
    make('p', { class: 'failure-title' }, `${message}.`.replace(/([.!?])\.$/, '$1')),
    details === undefined ? undefined : make('p', {}, details),
    again,
    make(
      'p',
      { class: 'hint' },
      explanationLink(type),
      ...[status > 0 ? `status ${status}` : '', requestId ?? '']
        .filter((part) => part !== '')
        .map((part) => ` · ${part}`),
    ),
  );
}
