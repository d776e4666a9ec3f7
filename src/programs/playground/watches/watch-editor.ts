import { make } from '../dom.ts';
import type { Watch } from './watch-calls.ts';

/** Opens a dialog to edit a watch. `save` shows its errors on the page. */
export function editWatch(watch: Watch, save: (changes: object) => Promise<unknown>): void {
  const label = field('label', 'Label', watch.label ?? '');
  const schedule = field('schedule', 'Schedule', watch.schedule);
  const timezone = field('timezone', 'Time zone', watch.timezone);
  const cancel = make('button', { type: 'button', class: 'quiet' }, 'Cancel');
  const form = make(
    'form',
    { method: 'dialog', class: 'watch-editor' },
    make('h2', { id: 'edit-title' }, 'Edit the watch'),
    ...label,
    ...schedule,
    ...timezone,
    make('div', { class: 'dialog-actions' }, cancel, make('button', { type: 'submit', class: 'primary' }, 'Save')),
  );
  const dialog = make('dialog', { 'aria-labelledby': 'edit-title' }, form);
  document.body.append(dialog);
  const trigger = document.activeElement;
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (trigger instanceof HTMLElement) trigger.focus();
  });
  cancel.addEventListener('click', () => dialog.close());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const changes = {
      label: label[1].value.trim() === '' ? null : label[1].value.trim(),
      schedule: schedule[1].value.trim(),
      timezone: timezone[1].value.trim() || 'UTC',
    };
    // The error is shown on the page, behind the dialog, so it closes.
    dialog.close();
    void save(changes);
  });
  dialog.showModal();
}

/** A text field of the dialog with its label. */
function field(name: string, label: string, value: string): readonly [HTMLLabelElement, HTMLInputElement] {
  const input = make('input', { id: `edit-${name}`, value, autocomplete: 'off' });
  return [make('label', { for: input.id }, label), input];
}
