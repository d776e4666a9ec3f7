import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import type { Page } from '../../core/browser/page/page.ts';
import { inFrame, type KnownFrame, listFrames, worldOf } from '../../core/steps/common/list-frames.ts';
import { countNodes } from './in-page/count-nodes.ts';
import { type Part, PART_LIMITS } from './answer-part.ts';

const MAX_NODES = 5_000;
/**
 * Maximum number of elements and text lines. Larger trees block the browser for all pages: 20,000 nodes take the
 * renderer 5 s, 100,000 make 87 MB and take 22 s (Chromium 153, 2 cores, 2026-11-22).
 */
const MAX_PAGE_NODES = 20_000;
/** Maximum depth. Deeper nodes become siblings, because JSON parsers recurse for each level. */
const MAX_DEPTH = 100;
/** Roles that mean nothing without a name. Their children take their place. */
const TRANSPARENT: ReadonlySet<string> = new Set(['none', 'generic', 'presentation']);
/** Roles of text layout. Screen readers ignore them. */
const SKIPPED: ReadonlySet<string> = new Set(['ListMarker', 'LineBreak', 'InlineTextBox']);
const ROLE_NAMES: Readonly<Record<string, string>> = { RootWebArea: 'document', StaticText: 'text' };
const LINES_AT_ONCE = 500;
const MOST_FRAMES = 50;

const textSchema = z.object({ value: z.unknown() }).optional();
/** The used fields of a node from the browser. */
const nodeSchema = z.object({
  nodeId: z.string(),
  backendDOMNodeId: z.number().optional(),
  ignored: z.boolean(),
  role: textSchema,
  name: textSchema,
  childIds: z.array(z.string()).optional(),
});
type BrowserNode = z.output<typeof nodeSchema>;

interface Node {
  readonly role: string;
  readonly name: string;
  children?: Node[];
}

/** The accessibility tree as the browser computes it. It contains no hidden elements. */
export const accessibility = {
  description: `Accessibility tree with roles and names: at most ${MAX_NODES} nodes, with frames of the same site. For a page with more than ${MAX_PAGE_NODES} elements and text lines, only the document node`,
  schema: z.object({
    tree: z.object({
      role: z.string(),
      name: z.string(),
      children: z.array(z.looseObject({})).optional(),
    }),
    truncated: z.literal(true).optional(),
  }),
  query: async (page) => {
    const count = await page.evaluate(countNodes, MAX_PAGE_NODES);
    if (count > MAX_PAGE_NODES) return { tree: { role: 'document', name: '' }, truncated: true };
    const nodes = await readNodes(page);
    return toTree(nodes);
  },
} satisfies Part;

type Nodes = Map<string, BrowserNode>;

/** Returns the nodes by id, the root first. Documents of frames are children of their elements. */
async function readNodes(page: Page): Promise<ReadonlyMap<string, BrowserNode>> {
  const nodes = await readFrame(page, page.mainFrameId);
  if (!nodes.values().some(({ role }) => roleOf(role) === 'Iframe')) return nodes;
  const frames = [...(await listFrames(page)).values()];
  // Frames of other sites are in other processes.
  const inside = frames.filter(({ frameId, session }) => frameId !== page.mainFrameId && session === page.session);
  for (const frame of inside.slice(0, MOST_FRAMES)) await inFrame(page, frame.session, joinFrame(page, frame, nodes));
  return nodes;
}

/** Adds the nodes of a frame below the node of its element. */
async function joinFrame(page: Page, frame: KnownFrame, nodes: Nodes): Promise<void> {
  const { frameId } = frame;
  const { backendNodeId } = await page.send('DOM.getFrameOwner', { frameId });
  const element = nodes.values().find(({ backendDOMNodeId }) => backendDOMNodeId === backendNodeId);
  const most = MAX_PAGE_NODES - nodes.size;
  const isHidden = element === undefined;
  if (isHidden || (await worldOf(page, frame).evaluate(countNodes, most)) > most) return;
  const inner = await readFrame(page, frameId, `${frameId}/`);
  const [root] = inner.values();
  if (root === undefined) return;
  for (const [id, node] of inner) nodes.set(id, node);
  nodes.set(element.nodeId, { ...element, childIds: [root.nodeId] });
}

async function readFrame(page: Page, frameId: string, prefix = ''): Promise<Nodes> {
  const bytes = await page.readAccessibility(frameId);
  const nodes: Nodes = new Map();
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf('\n', start);
    const { nodeId, childIds, ...node } = nodeSchema.parse(JSON.parse(bytes.toString('utf8', start, end)));
    const id = `${prefix}${nodeId}`;
    nodes.set(id, { ...node, nodeId: id, childIds: childIds?.map((child) => `${prefix}${child}`) });
    start = end + 1;
    if (nodes.size % LINES_AT_ONCE === 0) await yieldToEventLoop();
  }
  return nodes;
}

/** Builds the tree level by level, so that a large page is cut at the bottom. */
function toTree(nodes: ReadonlyMap<string, BrowserNode>): object {
  const [root] = nodes.values();
  const tree = root === undefined ? { role: 'document', name: '' } : toNode(root);
  let isTruncated = false;
  let count = 1;
  let level: { readonly node: BrowserNode; readonly into: Node; readonly depth: number }[] =
    root === undefined ? [] : [{ node: root, into: tree, depth: 0 }];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { node: parent, into, depth } of level) {
      // Children of a skipped node take its place.
      const children = (parent.childIds ?? []).toReversed();
      for (let id = children.pop(); id !== undefined; id = children.pop()) {
        const node = nodes.get(id);
        if (node === undefined || count >= MAX_NODES) {
          isTruncated = true;
          continue;
        }
        if (isTransparent(node)) {
          children.push(...(node.childIds ?? []).toReversed());
          continue;
        }
        if (SKIPPED.has(roleOf(node.role))) continue;
        const made = toNode(node);
        if (made.role === 'text' && (made.name.trim() === '' || made.name.trim() === into.name.trim())) continue;
        count++;
        (into.children ??= []).push(made);
        if (made.role !== 'text') next.push({ node, into: depth < MAX_DEPTH ? made : into, depth: depth + 1 });
      }
    }
    level = next;
  }
  return { tree, ...(isTruncated && { truncated: true }) };
}

function toNode({ role, name }: BrowserNode): Node {
  const roleName = roleOf(role);
  return { role: ROLE_NAMES[roleName] ?? roleName, name: nameOf(name) };
}

function isTransparent({ ignored, role, name }: BrowserNode): boolean {
  return ignored || (TRANSPARENT.has(roleOf(role)) && nameOf(name).trim() === '');
}

function roleOf(role: BrowserNode['role']): string {
  return typeof role?.value === 'string' ? role.value : 'none';
}

function nameOf(name: BrowserNode['name']): string {
  return typeof name?.value === 'string' ? name.value.slice(0, PART_LIMITS.name).toWellFormed() : '';
}
