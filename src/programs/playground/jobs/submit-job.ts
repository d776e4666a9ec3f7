import { make } from '../dom.ts';
import type { Form } from '../form/form.ts';
import { findProblems } from '../form/problems.ts';
import { failureNotice } from '../result/failure-notice.ts';
import type { TokenKeeper } from '../token.ts';
import { CaptureError } from '../../client/capture-error.ts';
import { type CaptureJob, randomKey, readJob } from '../../client/job-data.ts';
import type { Values } from '../form/values.ts';
import { type Caller, encodeFields, send } from '../send.ts';

interface SubmitOptions {
  readonly form: Pick<Form, 'read' | 'complain'>;
  /** Names of all fields. */
  readonly names: readonly string[];
  readonly withToken: TokenKeeper['withToken'];
  readonly showNotice: (notice: HTMLElement, words: string) => void;
}

/** The button beside Capture that submits the same fields as a job. */
export function createSubmitButton({ form, names, withToken, showNotice }: SubmitOptions): HTMLButtonElement {
  const button = make(
    'button',
    { type: 'button', id: 'submit-job', title: 'Runs in the background. The page of jobs has the result' },
    'Submit as a job',
  );
  const submit = async (): Promise<void> => {
    const values = form.read();
    if (values === undefined) return;
    button.disabled = true;
    try {
      const answer = await withToken((token) => submitJob(values, { token }));
      if (answer === undefined) return;
      if (answer instanceof CaptureError) {
        showNotice(failureNotice(answer), `Not submitted: ${answer.message}`);
        form.complain(findProblems(answer, names));
      } else showNotice(submittedNotice(answer.id), 'Submitted as a job');
    } finally {
      button.disabled = false;
      if (document.activeElement === document.body) button.focus(); // the button lost the focus while it was disabled
    }
  };
  button.addEventListener('click', () => void submit());
  return button;
}

function submittedNotice(id: string): HTMLElement {
  const link = make('a', { href: `queue#${id}` }, 'see it on the page of jobs');
  return make('p', { class: 'notice', id: 'submitted-job' }, 'Submitted as a job: ', link, '.');
}

/** Submits a job with an idempotency key, so that a repeated request makes one job. */
export async function submitJob(values: Values, caller: Caller): Promise<CaptureJob | CaptureError> {
  const headers = { 'Idempotency-Key': randomKey() };
  const encoded = encodeFields(values, (capture) => ({ capture }));
  const answer = await send('jobs', { ...caller, method: 'POST', headers, encoded }, readJob);
  if (!(answer instanceof CaptureError) || answer.details === undefined) return answer;
  const { message, errorType, status, requestId, retryAfter, details } = answer;
  // Removes the prefix, so that fields have the same names as in `/capture`.
  const facts = { errorType, status, requestId, retryAfter, details: details.replace(/^capture: /, '') };
  return new CaptureError(message, facts);
}
