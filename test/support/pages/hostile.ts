import { COLOUR, toCss } from '../colour.ts';
import { boxMarkup } from './box.ts';
import { page, type Route, type Routes } from './exchange.ts';

/**
 * `/dialogs` and `/popups`: `#box`, 200x200 at (0, 0), is red until the script has passed its last dialog or window,
 * then green. `/dialogs` calls alert, confirm and prompt while loading, and again 50 ms after `load`; it also blocks
 * navigation with beforeunload. `/popups` opens two windows while loading and later follows a link to a new one.
 */
export const HOSTILE_PAGE = {
  pending: { x: 0, y: 0, width: 200, height: 200, colour: COLOUR.red },
  done: { x: 0, y: 0, width: 200, height: 200, colour: COLOUR.green },
  /** Requests of the windows of `/popups`. */
  popups: ['/plain?popup=1', '/plain?popup=2', '/plain?popup=3'],
  dialogsAfterLoadMs: 50,
  /**
   * `/endless-after-load` blocks its event loop this long after `load`, `/endless-at-load` at once; `/endless` never
   * reaches it.
   */
  endlessAfterLoadMs: 100,
} as const;

/** Pages that interfere with a capture. */
export function hostileRoutes(): Routes {
  const [first, second, third] = HOSTILE_PAGE.popups;
  return {
    '/dialogs': boxPage(`
  addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; });
  const ask = () => { alert('alert'); confirm('confirm'); prompt('prompt', 'text'); };
  ask();
  addEventListener('load', () => setTimeout(() => { ask(); done(); }, ${HOSTILE_PAGE.dialogsAfterLoadMs}));`),
    '/popups': boxPage(`
  open('${first}'); open('${second}', 'named', 'width=300,height=300');
  addEventListener('load', () => {
    const link = Object.assign(document.createElement('a'), { href: '${third}', target: '_blank' });
    document.body.append(link);
    link.click();
    done();
  });`),
    '/endless': page({ body: `${boxMarkup(HOSTILE_PAGE.pending)}<script>while (true);</script>` }),
    '/endless-at-load': page({
      body: `<script>addEventListener('load', () => setTimeout(() => { while (true); }));</script>`,
    }),
    '/endless-after-load': page({
      body: `${boxMarkup(HOSTILE_PAGE.done)}<script>
  addEventListener('load', () => setTimeout(() => { while (true); }, ${HOSTILE_PAGE.endlessAfterLoadMs}));
</script>`,
    }),
  };
}

function boxPage(script: string): Route {
  return page({
    body: `${boxMarkup(HOSTILE_PAGE.pending, 'id="box"')}<script>
  const done = () => { box.style.background = '${toCss(HOSTILE_PAGE.done.colour)}'; };
  ${script}
</script>`,
  });
}
