import type { OwnSite } from '../../core/egress/gate/own-site.ts';

/** Source of the page of a template. A template without it is a preset. */
export const PAGE_FILE = 'index.html';

/** A template as it was read. It never changes: a change of its folder makes a new one. */
export interface Template {
  readonly name: string;
  /** Defaults of request fields, set by the operator. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** True if a request may set no other fields. */
  readonly isLocked: boolean;
  /** JSON Schema of `data`. Undefined: any object. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Liquid sources by path. */
  readonly sources: Readonly<Record<string, string>>;
  /** True if the page has scripts of its own. */
  readonly hasScripts: boolean;
  /** Files that the page can load. */
  readonly site: OwnSite;
  /** Hash of all files of the folder. */
  readonly revision: string;
}

export function isPreset({ sources }: Pick<Template, 'sources'>): boolean {
  return !Object.hasOwn(sources, PAGE_FILE);
}

/** A template that can't be used. The message names the file or field, and is shown to the operator. */
export class TemplateProblem extends Error {
  override readonly name = 'TemplateProblem';
}
