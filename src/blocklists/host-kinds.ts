/** What a client may want none of. */
export const HOST_KINDS = ['ads', 'trackers', 'chats', 'socials'] as const;
export type HostKind = (typeof HOST_KINDS)[number];
