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
const CONTROLS = '[role="button"], [role="tab"]';
const FORMS = '[role="form"], [role="search"]';
/** Texts and characters of a list that says something without sentences: prices, ingredients. */
const LEAST_TEXTS = 3;
const LEAST_LIST = 40;
/** Characters of the shortest sentence. `Sharing is caring!` says nothing. */
const LEAST_SENTENCE = 25;
/** Share of links and buttons in the text of furniture. */
const MOST_LEADING = 0.3;
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
/** Dates, times and names of authors above an article. */
const BYLINE =
  /^\W*(?:by\s+\p{Lu}|posted|published|updated|last (?:modified|updated)|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|(?:mon|tue|wed|thu|fri|sat|sun)\w*,?\s|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?\s+\d{1,2}\b|\d{1,2}\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d+ (?:min|hour|day|week)s? (?:ago|read))/iu;
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

/** True for a part that says something itself: a sentence, or several texts that lead nowhere. */
function hasContent(element: Element): boolean {
  if (element.matches('figcaption')) return true;
  if (element.matches(FORMS) || element.querySelector(FORMS) !== null) return false;
  const length = lengthOf(element);
  const controls = [...element.querySelectorAll(CONTROLS)].reduce((sum, each) => sum + lengthOf(each), 0);
  const leading = linkLength(element) + controls;
  if (leading > length * MOST_LEADING) return false;
  const texts = [element, ...element.querySelectorAll('*')].filter(
    (each) => hasOwnText(each) && each.closest(`a, ${CONTROLS}`) === null,
  );
  const isMeta = length < MOST_META && (META.test(element.className) || META.test(element.id));
  if (texts.some((each) => hasSentence(each, isMeta))) return true;
  return !isMeta && leading === 0 && texts.length >= LEAST_TEXTS && length >= LEAST_LIST;
}

/** True for a text with a sentence. With `isWhole`, it ends there: `By Ann Lee. Updated 5 May` is none. */
export function hasSentence(element: Element, isWhole = false): boolean {
  const text = oneLine(element.textContent);
  const end = isWhole ? /[.!?…。！？।۔]["'”’»)\]]*$/u : /[.!?…。！？।۔]["'”’»)\]]*(?:\s|$)/u;
  return text.length >= LEAST_SENTENCE && end.test(text);
}

export function hasOwnText(element: Element): boolean {
  for (let node = element.firstChild; node !== null; node = node.nextSibling)
    if (node.nodeType === Node.TEXT_NODE && (node.nodeValue ?? '').trim() !== '') return true;
  return false;
}

/** True for a list of links, unless it is one sentence. */
function isLinkList(element: Element): boolean {
  const length = lengthOf(element);
  if (length === 0 || linkLength(element) <= length * MOST_LINKS) return false;
  return !endsLikeSentence(element);
}

/** True for links that are titles of other pages. */
export function isTeaser(element: Element): boolean {
  const length = lengthOf(element);
  if (length === 0 || linkLength(element) < length * MOST_TEASER_LINKS || endsLikeSentence(element)) return false;
  const links = Math.max(1, element.querySelectorAll('a[href]').length);
  return length / links >= TITLE;
}

/** True for a line that leads to another page, or tells the date and the author. */
export function isFurnitureLine(element: Element): boolean {
  const text = oneLine(element.textContent);
  if (text.length === 0 || text.length > MOST_LINE) return false;
  if (LEADS_AWAY.test(text)) return LABEL.test(text) || linkLength(element) > text.length * MOST_LEADING;
  return BYLINE.test(text) && !endsLikeSentence(element);
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
