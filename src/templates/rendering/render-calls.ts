import type { Template } from '../template.ts';

/** A call of the render process. */
export interface RenderCall extends Pick<Template, 'name' | 'revision'> {
  /** Undefined if an earlier call has sent it. */
  readonly template: Pick<Template, 'sources' | 'schema' | 'hasScripts'> | undefined;
  /** Data of the request as JSON. Undefined: only checks the template. */
  readonly data: string | undefined;
  /** True: checks the data, and renders nothing. */
  readonly checksOnly: boolean;
  /**
   * Time limit in milliseconds after which the process ends itself, because the service, which ends it earlier, must
   * have been killed.
   */
  readonly lastLimitMs: number;
}

/** Answer of the render process. */
export type RenderAnswer =
  /** `html` is undefined for a preset, and after a check. */
  | { readonly kind: 'rendered'; readonly html: string | undefined }
  /** The data does not match the schema. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  /** The template has a fault. */
  | { readonly kind: 'faulty'; readonly reason: string }
  /** The process does not have the template any more. */
  | { readonly kind: 'unknown' };
