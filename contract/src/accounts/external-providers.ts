/**
 * The sites whose accounts sign users in here, in the order of the buttons; providers of OpenID
 * Connect are rows besides.
 */
export const externalProviders = [
  "github",
  "wechat",
  "lark",
  "discord",
  "linuxdo",
  "telegram",
] as const;
export type ExternalProvider = (typeof externalProviders)[number];

/** Whom the reverse proxy names in its header. */
export const proxyAccountProvider = "proxy" as const;
