const SHOWN_MS = 1_600;

/** Puts text on the clipboard and says so on the button. Without a clipboard, as over plain http, the old way. */
export async function copyText(text: string, button: HTMLButtonElement): Promise<void> {
  const words = (button.dataset['words'] ??= button.textContent);
  const isCopied = await toClipboard(text);
  button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => {
    button.textContent = words;
  }, SHOWN_MS);
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  // Deprecated, and the only way on a page that is not secure: https://developer.mozilla.org/docs/Web/API/Clipboard
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
