// What surrounds the content of a page. Works on a copy of the page.

/** Classes and ids of comments below an article. */
const COMMENTS = /(?:^|[\s_-])(?:comments|commentlist|comment-list|comments-area|respond)(?:$|[\s_-])/i;
/** Classes and ids of parts that are furniture on most pages. */
const NAMES =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|pagination|pager|share|shares|sharing|sharebar|sharedaddy|social|socials|addtoany|addthis|related|recirc|recommend(?:s|ed|ations?)?|readmore|read-more|read-next|more-stories|most-read|trending|teasers?|promo|promoted|newsletters?|subscribe|subscription|signup|sign-up|sidebar|widget-area|banner|advert|advertisement|ads?|sponsor|sponsored|cookies?|consent|gdpr|outbrain|taboola|disqus|skip-link|print-only|copyright|paywall|toolbar|hashtags|tagcloud|post-tags|entry-tags|article-tags|tag-list|tags-links|jp-relatedposts|byline|bylines|author-bio|author-box|about-author|post-meta|entry-meta|article-meta|dateline-time|timestamp|published|pubdate|postdate|post-date|entry-date|posted-on|credit|photo-credit|gallery-link|disclaimer)(?:$|[\s_-])/i;
/** Classes and ids of lines about an article: its author, its date. */
const META =
  /(?:^|[\s_-])(?:bylines?|author-bio|author-box|about-author|post-meta|entry-meta|article-meta|dateline-time|timestamp|published|pubdate|postdate|post-date|entry-date|posted-on)(?:$|[\s_-])/i;
const MOST_META = 120;
/** What a line about an article has no use for. */
const PARTS = 'h1, h2, h3, h4, h5, h6, li, table, dl, pre';
const ROWS = 'li, tr, td, th, dt, dd, blockquote, h1, h2, h3, h4, h5, h6';
/** Classes of the line that names who made a picture. */
const CREDIT = /(?:^|[\s_-])(?:credit|photo-credit|gallery-link)(?:$|[\s_-])/i;
const CONTROLS = '[role="button"], [role="tab"]';
const FORMS = '[role="form"], [role="search"]';
/** Characters of the shortest text that says something: `Share` and `Photo: AP` do not. */
const LEAST_TEXT = 12;
/** Classes of boxes whose words are labels of buttons, unless there are many, or numbers. */
const SHARE = /(?:^|[\s_-])(?:shar(?:es?|ing|ebar|edaddy)|socials?|addtoany|addthis|relatedposts)(?:$|[\s_-])/i;
const MOST_LABELS = 30;
/** Characters of the shortest sentence. `Sharing is caring!` says nothing. */
const LEAST_SENTENCE = 25;
/** Characters of Latin text that say as much as one of these. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const DENSITY = 2.5;
/** Scripts that write no full stop. */
const NO_STOPS = /[\p{Script=Thai}\p{Script=Lao}]/u;
/** Share of links and buttons in the text of furniture. */
const MOST_LEADING = 0.3;
/** Most of a line may be links if the rest of it is content: `Tea 2.50`, where `Tea` is a link. */
const MOST_MIXED = 0.7;
/** Longer ids are those of headings: `sharing-with-others`. */
const MOST_ID = 20;
const ROLES =
  /^(?:form|navigation|complementary|search|banner|contentinfo|dialog|alertdialog|menu|menubar|toolbar|tablist)$/;
const TAGS: ReadonlySet<string> = new Set(['nav', 'aside', 'menu']);
/** First words of a line that leads to another page. */
const LEADS_AWAY =
  /^\W*(?:related|read (?:more|next|also|this)|see more|more (?:on|from|about|stories)|also (?:read|on|see)|don['’]?t miss|recommended|watch(?: now)?:|continue reading|you (?:may|might) (?:also )?like|most read|advertis\w+|click here|sign up|subscribe|follow (?:us|her|him|@)|share this|back to (?:gallery|top)|skip to|tags?:|filed under|get .{0,40} (?:app|on the go)|join our|image:|photo:|via:|source:)/i;
/** Labels of what follows, which say nothing themselves. */
const LABEL =
  /^\W*(?:related(?: (?:articles|stories|posts|links|topics|content))?|recommended(?: for you)?|advertisements?|most read|tags?|filed under|share this|sign up|subscribe|more stories|read (?:more|next|also)|also read|see more)\W*$/i;
/** Words of a line that names its author or date. The rest of such a line is numbers and names. */
const BYLINE_WORDS =
  /\b(?:by|posted|published|updated|last|modified|on|at|in|from|min(?:ute)?s?|hours?|days?|weeks?|ago|read|am|pm|a\.m\.|p\.m\.|(?:mon|tue|wed|thu|fri|sat|sun)\w*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*)\b/giu;
/** A date with its year, a time of day, how long ago, or an author. */
const BYLINE =
  /^\W*by\s+\p{Lu}|\b(?:19|20)\d{2}\b|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}[:.h]\d{2}|\d+ \w+ (?:ago|read)\b/iu;
const NAME = /\p{Lu}[\p{L}.'’-]*/gu;
const MOST_NAMES = 6;
/** A place in a recording, as transcripts have before each turn. */
const OFFSET = /^\s*[([]?\d{1,2}:\d{2}(?::\d{2})?[)\]]?\s*$/;
/** Share of links in the text above which a part is navigation. */
const MOST_LINKS = 0.5;
/** Characters of a text that is a sentence and not a title. */
const SENTENCE = 60;
/** Share of links in a list of titles. */
const MOST_TEASER_LINKS = 0.8;
/** Characters of a title of another page, on average. Links to terms are shorter. */
const TITLE = 30;
/** Characters of a line above or between paragraphs that may be furniture. */
const MOST_LINE = 160;

export function lengthOf(element: Element): number {
  return oneLine(element.textContent).length;
}

function linkLength(element: Element): number {
  if (element.matches('a[href]')) return lengthOf(element);
  let length = 0;
  for (const link of element.querySelectorAll('a[href]')) length += lengthOf(link);
  return length;
}

/** Without line breaks and repeated spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** True for navigation, forms, share bars, teasers and the like, by name and by their links. */
export function isFurniture(element: Element): boolean {
  if (OFFSET.test(element.textContent)) return false;
  if (COMMENTS.test(`${element.className} ${element.id}`)) return true;
  return isNamedFurniture(element) || isLinkList(element) || isFurnitureLine(element);
}

/**
 * True for a part whose name says that it surrounds the content, and whose text agrees: links, fields and buttons
 * without sentences, or a line about the article. A name alone proves nothing: a price list has the class `menu`.
 */
export function isNamedFurniture(element: Element): boolean {
  if (OFFSET.test(element.textContent)) return false;
  return hasFurnitureName(element) && !hasContent(element);
}

export function hasFurnitureName(element: Element): boolean {
  if (TAGS.has(element.localName) || ROLES.test(element.getAttribute('role') ?? '')) return true;
  return NAMES.test(element.className) || (element.id.length <= MOST_ID && NAMES.test(element.id));
}

/**
 * True for a part that says something itself. Links and buttons with few words around them, forms and lines about the
 * article do not.
 */
function hasContent(element: Element): boolean {
  if (element.matches('figcaption')) return true;
  if (element.matches(FORMS) || element.querySelector(FORMS) !== null) return false;
  const length = lengthOf(element);
  const texts = [element, ...element.querySelectorAll('*')].filter(
    (each) => hasOwnText(each) && each.closest(`a, ${CONTROLS}`) === null,
  );
  if (isMeta(element, length)) return texts.some((each) => hasSentence(each, true));
  const controls = [...element.querySelectorAll(CONTROLS)];
  const leading = controls.reduce((sum, each) => sum + lengthOf(each), linkLength(element));
  if (leading > length * MOST_LEADING)
    return leading < length * MOST_MIXED && texts.some((each) => each.querySelector('a[href]') !== null);
  if (texts.some((each) => hasSentence(each))) return true;
  const leads = controls.length + element.querySelectorAll('a[href]').length;
  if (SHARE.test(element.className) && length < MOST_LABELS && !/\d/.test(element.textContent)) return false;
  return (
    leads < texts.length &&
    weightOf(oneLine(element.textContent)) >= LEAST_TEXT &&
    !LABEL.test(oneLine(element.textContent))
  );
}

/** True for a line about the article or a picture, by its name: it has no headings, lists and tables. */
function isMeta(element: Element, length: number): boolean {
  if (length >= MOST_META || element.querySelector(PARTS) !== null) return false;
  return [META, CREDIT].some((names) => names.test(element.className) || names.test(element.id));
}

/** Returns the length of a text, in characters of an alphabet. */
function weightOf(text: string): number {
  return text.length + (text.match(DENSE)?.length ?? 0) * (DENSITY - 1);
}

/** True for a text with a sentence. With `isWhole`, it ends there: `By Ann Lee. Updated 5 May` is none. */
export function hasSentence(element: Element, isWhole = false): boolean {
  const text = oneLine(element.textContent);
  const end = isWhole ? /[.!?…。！？।۔]["'”’»)\]]*$/u : /[.!?…。！？।۔]["'”’»)\]]*(?:\s|$)|[。！？]/u;
  return weightOf(text) >= LEAST_SENTENCE && (end.test(text) || NO_STOPS.test(text));
}

export function hasOwnText(element: Element): boolean {
  for (let node = element.firstChild; node !== null; node = node.nextSibling)
    if (node.nodeType === Node.TEXT_NODE && (node.nodeValue ?? '').trim() !== '') return true;
  return false;
}

/** True for a list of links, unless it is one sentence. */
function isLinkList(element: Element): boolean {
  const length = lengthOf(element);
  if (length === 0 || linkLength(element) <= length * MOST_LINKS || endsLikeSentence(element)) return false;
  return element.querySelector('a[href^="mailto:"], a[href^="tel:"]') === null;
}

/** Supplied markup has no site of its own, so that its links may lead to it. */
const OWN_HOST = 'template.invalid';
const FILE = /\.(?:pdf|zip|docx?|xlsx?|pptx?|odt|csv|epub|gz|mp3|ics)(?:$|[?#])/i;

/** True for a link to a file, a place in a page, a person or another site. Teasers lead to pages of the same site. */
export function isReference(link: Element): boolean {
  const href = link.getAttribute('href') ?? '';
  if (/^(?:mailto|tel):|#/.test(href) || FILE.test(href)) return true;
  const { host, protocol } = location;
  return protocol.startsWith('http') && /^https?:/.test(href) && new URL(href).host !== host && host !== OWN_HOST;
}

/** True for links that are titles of other pages. */
export function isTeaser(element: Element): boolean {
  const length = lengthOf(element);
  if (length === 0 || linkLength(element) < length * MOST_TEASER_LINKS || endsLikeSentence(element)) return false;
  const links = [...element.querySelectorAll('a[href]')];
  return length / Math.max(1, links.length) >= TITLE && !links.some(isReference);
}

/** True for a line that leads to another page. */
export function isFurnitureLine(element: Element): boolean {
  const text = oneLine(element.textContent);
  if (text.length === 0 || text.length > MOST_LINE || !LEADS_AWAY.test(text)) return false;
  return LABEL.test(text) || linkLength(element) > text.length * MOST_LEADING;
}

/** True for a line that has nothing but a date or an author. The caller checks that it is not in the text. */
export function isByline(element: Element): boolean {
  const text = oneLine(element.textContent);
  if (text.length > MOST_META || element.matches(ROWS) || element.querySelector(PARTS) !== null) return false;
  if (!BYLINE.test(text) || OFFSET.test(text)) return false;
  const rest = text.replaceAll(BYLINE_WORDS, '');
  return (rest.match(NAME)?.length ?? 0) <= MOST_NAMES && !/\p{L}/u.test(rest.replaceAll(NAME, ''));
}

/** True for a line that begins with a word for who wrote the text, or when. */
export function startsLikeByline(line: Element): boolean {
  return /^\W*(?:by|published|posted|updated|last (?:modified|updated))\b/i.test(oneLine(line.textContent));
}

/** True for a text that ends like a sentence. */
export function endsLikeSentence(element: Element): boolean {
  const text = oneLine(element.textContent);
  return text.length >= SENTENCE && /[.!?…。！？:;]["'”’»)\]]*$/u.test(text);
}

/** What anchors of headings and definitions show. */
const ANCHOR_TEXT =
  /^(?:[#¶§∞⚓🔗]|permalink\b.*|link to this \w+|navigate to (?:header|heading)|anchor|copy link|direct link to .*)?$/iu;
const EDIT_LINKS = /(?:^|[\s_-])(?:mw-editsection|editsection|edit-(?:link|page|this-page))(?:$|\s)/;
const TITLES = 'h1, h2, h3, h4, h5, h6, dt';

/** Removes the anchors and edit links of headings and definitions. */
export function removeAnchors(root: Element): void {
  for (const each of root.querySelectorAll('[class*="edit"]'))
    if (EDIT_LINKS.test(each.className) && lengthOf(each) < SENTENCE) each.remove();
  for (const link of root.querySelectorAll('a')) {
    const title = link.closest(TITLES) ?? titleBeside(link);
    if (title === null) continue;
    const [text = '', label = ''] = [link.textContent, link.getAttribute('aria-label') ?? link.title].map(bare);
    const isWhole = link.contains(title) || (title.contains(link) && bare(title.textContent) === text);
    const isAnchor = (link.getAttribute('href') ?? '').includes('#') || link.getAttribute('href') === null;
    if (isAnchor && (text === '' || (!isWhole && ANCHOR_TEXT.test(text === '' ? label : text)))) link.remove();
  }
}

/** Returns the title beside a link that has a box with little else. Null if there is none. */
function titleBeside(link: Element): Element | null {
  const [before, after] = [link.previousElementSibling, link.nextElementSibling];
  if (before?.previousElementSibling?.previousElementSibling != null) return null;
  if (after?.nextElementSibling?.nextElementSibling != null) return null;
  return [before, after].find((each) => each?.matches('h1, h2, h3, h4, h5, h6') === true) ?? null;
}

/** Without spaces, also those without a width. */
function bare(text: string): string {
  return text.replaceAll(/[\s\u200B-\u200D\u2060\uFEFF]+/g, ' ').trim();
}
