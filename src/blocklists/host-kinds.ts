/** Kinds of hosts that a request may block. */
export const HOST_KINDS = ['ads', 'trackers', 'chats', 'socials'] as const;
export type HostKind = (typeof HOST_KINDS)[number];
