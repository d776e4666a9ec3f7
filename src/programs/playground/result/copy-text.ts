const SHOWN_MS = 1_600;

/** Copies text to the clipboard and confirms it on the button. Over plain http, uses the deprecated command. */
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
  // Uses a deprecated command, which is the only way on an insecure page:
  // https://developer.mozilla.org/docs/Web/API/Clipboard
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
