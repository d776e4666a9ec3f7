import { byId, make } from './dom.ts';
import { CaptureError } from '../client/capture-error.ts';

const STORAGE_KEY = 'capture-token';

export interface TokenKeeper {
  /** Returns the token, or undefined if the user has not entered one yet. */
  readonly current: () => string | undefined;
  /**
   * Prompts the user for the token. `problem` is the reason for a repeated prompt. Returns undefined if the user
   * cancels.
   */
  readonly promptForToken: (problem?: string) => Promise<string | undefined>;
  /**
   * Runs a call with the token, and prompts for it if it is missing or wrong. Returns undefined if the user cancels.
   */
  readonly withToken: <Answer>(
    send: (token: string | undefined) => Promise<Answer | CaptureError>,
  ) => Promise<Answer | CaptureError | undefined>;
}

/** True if the service refused the token. */
export function isRefused(answer: unknown): boolean {
  return answer instanceof CaptureError && answer.errorType === 'AuthenticationError';
}

/**
 * Keeps the token in the session storage of this tab only. `onChange` is called when the user enters a token with the
 * button.
 */
export function createTokenKeeper(needsToken: boolean, onChange: () => void = () => undefined): TokenKeeper {
  const { dialog, form, input, problem, cancel } = createDialog();
  const button = byId('token-button', HTMLButtonElement);
  const show = (): void => {
    button.hidden = !needsToken;
    button.textContent = currentToken() === undefined ? 'Enter token' : 'Change token';
  };
  const promptForToken = (reason?: string): Promise<string | undefined> => {
    problem.textContent = reason ?? '';
    problem.hidden = reason === undefined;
    input.value = '';
    dialog.returnValue = '';
    if (!dialog.open) dialog.showModal(); // two calls may prompt at the same time
    return new Promise((resolve) => {
      const done = (): void => {
        const token = input.value.trim();
        input.value = '';
        if (dialog.returnValue === 'given' && token !== '') sessionStorage.setItem(STORAGE_KEY, token);
        show();
        resolve(dialog.returnValue === 'given' ? currentToken() : undefined);
      };
      dialog.addEventListener('close', done, { once: true });
    });
  };
  form.addEventListener('submit', (event) => {
    // not `method=dialog`, because form-action 'none' of the content security policy applies to it as well
    event.preventDefault();
    dialog.close('given');
  });
  cancel.addEventListener('click', () => dialog.close(''));
  const change = async (): Promise<void> => {
    if ((await promptForToken()) !== undefined) onChange();
  };
  button.addEventListener('click', () => void change());
  show();
  return {
    current: currentToken,
    promptForToken,
    withToken: async (send) => {
      let token = currentToken();
      if (token === undefined && needsToken) {
        token = await promptForToken();
        if (token === undefined) return undefined;
      }
      const first = await send(token);
      if (!(first instanceof CaptureError) || !isRefused(first)) return first;
      const other = await promptForToken(`${first.message}.`);
      return other === undefined ? first : send(other);
    },
  };
}

function currentToken(): string | undefined {
  return sessionStorage.getItem(STORAGE_KEY) ?? undefined;
}

function createDialog(): {
  readonly dialog: HTMLDialogElement;
  readonly form: HTMLFormElement;
  readonly input: HTMLInputElement;
  readonly problem: HTMLElement;
  readonly cancel: HTMLButtonElement;
} {
  const input = make('input', {
    type: 'password',
    id: 'token',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
  });
  const problem = make('p', { class: 'problem', id: 'token-problem', hidden: true });
  const cancel = make('button', { type: 'button', class: 'quiet', id: 'token-cancel' }, 'Cancel');
  const form = make(
    'form',
    { method: 'dialog', id: 'token-form' },
    make('h2', { id: 'token-title' }, 'This service requires a token'),
    make(
      'p',
      { class: 'hint' },
      'The value of ',
      make('code', {}, 'AUTH_TOKEN'),
      ', or the token of your key. The token is kept until you close this tab.',
    ),
    make('label', { for: 'token' }, 'Token'),
    input,
    problem,
    make('div', { class: 'dialog-actions' }, cancel, make('button', { type: 'submit', class: 'primary' }, 'Use token')),
  );
  const dialog = make('dialog', { id: 'token-dialog', 'aria-labelledby': 'token-title' }, form);
  document.body.append(dialog);
  return { dialog, form, input, problem, cancel };
}
