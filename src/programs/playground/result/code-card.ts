import { copyText } from './copy-text.ts';
import { byId, make } from '../dom.ts';
import type { Reference } from '../reference.ts';
import { serviceUrl } from '../send.ts';
import { SNIPPETS } from './snippets.ts';
import { createTabs } from '../tabs.ts';
import type { Values } from '../form/values.ts';

const LIFETIMES = [
  { seconds: 600, text: '10 minutes' },
  { seconds: 3_600, text: '1 hour' },
  { seconds: 86_400, text: '1 day' },
  { seconds: 604_800, text: '7 days' },
];
const SIGNED = 'Signed link';
/** Extensions of formats that have another name. */
const EXTENSIONS: Readonly<Record<string, string>> = { markdown: 'md', single_html: 'html' };

interface CodeCard {
  /** Shows the code for these values, and removes the signed link of other values. */
  readonly update: (values: Values) => void;
}

interface CodeCardOptions {
  readonly reference: Reference;
  /** Returns a link. Undefined after an error, which another part of the page shows. */
  readonly sign: (lifetimeSeconds: number) => Promise<string | undefined>;
}

/** Shows the request as code. */
export function createCodeCard({ reference, sign }: CodeCardOptions): CodeCard {
  const { needsToken } = reference;
  const names = [...Object.keys(SNIPPETS), SIGNED];
  const code = make('code', { id: 'code' });
  const block = make('pre', { class: 'snippet', tabindex: 0, role: 'region', 'aria-label': 'Code' }, code);
  const copy = make('button', { type: 'button', id: 'copy' }, 'Copy');
  const lifetime = make(
    'select',
    { id: 'lifetime' },
    ...LIFETIMES.map(({ seconds, text }) => make('option', { value: seconds }, text)),
  );
  const makeLink = make('button', { type: 'button', id: 'sign' }, 'Make link');
  const signing = make(
    'div',
    { class: 'signing' },
    make('label', { for: 'lifetime' }, 'Valid for'),
    lifetime,
    makeLink,
  );
  let values: Values = {};
  let link: string | undefined;

  const render = (name: string): void => {
    const isLink = name === SIGNED;
    signing.hidden = !isLink;
    copy.disabled = isLink && link === undefined;
    block.classList.toggle('is-link', isLink);
    code.textContent = isLink
      ? link === undefined
        ? 'A link that makes exactly this capture, without a token.'
        : `${link}\n\n<img src="${link.replaceAll('&', '&amp;')}" alt="">`
      : snippet(name, withExample(values, reference), needsToken);
  };
  const tabs = createTabs({ label: 'Copy as', names, panel: 'code-panel', onSelect: render });
  const panel = make('div', { id: 'code-panel', role: 'tabpanel', 'aria-label': 'Code' }, signing, block);
  byId('code-card', HTMLElement).append(
    make('div', { class: 'code-head' }, make('h2', {}, 'Copy as'), tabs.element, copy),
    panel,
  );
  copy.addEventListener('click', () => void copyText(code.textContent, copy));
  const signNow = async (): Promise<void> => {
    makeLink.disabled = true;
    const signedValues = values;
    const signed = await sign(Number(lifetime.value));
    makeLink.disabled = false;
    if (signedValues === values) link = signed;
    render(tabs.selected());
  };
  makeLink.addEventListener('click', () => void signNow());

  return {
    update: (given) => {
      values = given;
      link = undefined;
      render(tabs.selected());
    },
  };
}

/** Uses the example of the schema while no target is set. */
function withExample(values: Values, { alternatives, fields }: Reference): Values {
  if (alternatives.some((name) => values[name] !== undefined)) return values;
  const first = fields.find(({ name }) => alternatives.includes(name));
  return first === undefined ? values : { [first.name]: first.schema.examples?.[0], ...values };
}

function snippet(name: string, values: Values, needsToken: boolean): string {
  const format = typeof values['format'] === 'string' ? values['format'] : 'png';
  const extension = values['response_type'] === 'json' ? 'json' : (EXTENSIONS[format] ?? format);
  const call = {
    endpoint: serviceUrl('capture'),
    values,
    filename: `screenshot.${extension}`,
    needsToken,
  };
  return Object.entries(SNIPPETS).find(([each]) => each === name)?.[1](call) ?? '';
}
