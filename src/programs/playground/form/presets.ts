import { make } from '../dom.ts';
import type { Reference } from '../reference.ts';
import type { Values } from './values.ts';

/** What people try first. A preset sets fields that can be changed below. */
const PRESETS: Readonly<Record<string, Values>> = {
  'Full page': { full_page: true },
  Phone: { device: 'iPhone 15' },
  Dark: { dark_mode: true },
  'No ads': { block_ads: true, block_trackers: true, block_cookie_banners: true },
  PDF: { format: 'pdf' },
  Markdown: { format: 'markdown' },
};

interface Presets {
  readonly element: HTMLElement;
  /** Marks the presets whose fields these values have. */
  readonly show: (values: Values) => void;
}

/**
 * A row of buttons that set several fields, or unset them again.
 * @param change receives the fields to set; undefined for fields to unset
 */
export function createPresets({ fields }: Reference, change: (values: Values) => void): Presets {
  const known = new Set(fields.map(({ name }) => name));
  const buttons = Object.entries(PRESETS)
    .filter(([, values]) => Object.keys(values).every((name) => known.has(name)))
    .map(([title, values]) => {
      const button = make('button', { type: 'button', 'aria-pressed': 'false' }, title);
      button.addEventListener('click', () => {
        const isPressed = button.getAttribute('aria-pressed') === 'true';
        const unset = Object.keys(values).map((name) => [name, undefined]);
        change(isPressed ? Object.fromEntries(unset) : values);
      });
      return { button, values };
    });
  return {
    element: make(
      'div',
      { class: 'presets', role: 'group', 'aria-label': 'Presets' },
      ...buttons.map(({ button }) => button),
    ),
    show: (given) => {
      for (const { button, values } of buttons) {
        const isSet = Object.entries(values).every(([name, value]) => given[name] === value);
        button.setAttribute('aria-pressed', `${isSet}`);
      }
    },
  };
}
