import { byId } from './dom.ts';

const STORAGE_KEY = 'capture-token';

interface TokenKeeper {
  /** The token; undefined while none was given. */
  readonly current: () => string | undefined;
  /** Asks for it, with a reason to ask again. Gives back undefined when the person does not want to. */
  readonly ask: (problem?: string) => Promise<string | undefined>;
}

/** Keeps the token for as long as the tab is open: in its session storage, and nowhere else. */
export function createTokenKeeper(needsToken: boolean): TokenKeeper {
  const dialog = byId('token-dialog', HTMLDialogElement);
  const input = byId('token', HTMLInputElement);
  const problem = byId('token-problem', HTMLElement);
  const button = byId('token-button', HTMLButtonElement);
  const show = (): void => {
    button.hidden = !needsToken;
    button.textContent = currentToken() === undefined ? 'Enter token' : 'Change token';
  };
  const ask = (reason?: string): Promise<string | undefined> => {
    problem.textContent = reason ?? '';
    problem.hidden = reason === undefined;
    input.value = '';
    dialog.returnValue = '';
    dialog.showModal();
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
  byId('token-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault(); // `method=dialog` would do, but form-action 'none' is for all forms alike
    dialog.close('given');
  });
  byId('token-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close(''));
  button.addEventListener('click', () => void ask());
  show();
  return { current: currentToken, ask };
}

function currentToken(): string | undefined {
  return sessionStorage.getItem(STORAGE_KEY) ?? undefined;
}
