import { make } from './dom.ts';

interface TabsOptions {
  readonly label: string;
  readonly names: readonly string[];
  /** Id of the panel that the tabs control. */
  readonly panel: string;
  /** Default: the first. */
  readonly selected?: string | undefined;
  readonly onSelect: (name: string) => void;
}

/** Tabs as in the ARIA authoring practices: one tab stop, arrow keys in between. */
export function createTabs({ label, names, panel, selected, onSelect }: TabsOptions): {
  readonly element: HTMLElement;
  readonly selected: () => string;
} {
  const tabs = names.map((name) => make('button', { type: 'button', role: 'tab', 'aria-controls': panel }, name));
  let current = selected ?? names[0] ?? '';
  const select = (index: number, { focus }: { readonly focus: boolean }): void => {
    const at = (index + names.length) % names.length;
    current = names[at] ?? '';
    for (const [each, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', `${each === at}`);
      tab.tabIndex = each === at ? 0 : -1;
    }
    if (focus) tabs[at]?.focus();
    onSelect(current);
  };
  const element = make('div', { class: 'tabs', role: 'tablist', 'aria-label': label }, ...tabs);
  for (const [index, tab] of tabs.entries()) {
    tab.setAttribute('aria-selected', `${names[index] === current}`);
    tab.tabIndex = names[index] === current ? 0 : -1;
    tab.addEventListener('click', () => select(index, { focus: false }));
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      if (step !== 0) select(index + step, { focus: true });
    });
  }
  return { element, selected: () => current };
}
