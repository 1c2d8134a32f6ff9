/**
 * Pages of other gateways' consoles that people have bookmarked, and where the same is here. Pure.
 */

const pages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "": "/dashboard",
    channel: "/channels",
    key: "/key",
    keys: "/tokens",
    log: "/logs",
    personal: "/settings",
    playground: "/playground",
    pricing: "/models",
    profile: "/settings",
    redemption: "/redemptions",
    "redemption-codes": "/redemptions",
    setting: "/settings",
    "system-settings": "/settings",
    token: "/tokens",
    topup: "/topup",
    "usage-logs": "/logs",
    user: "/users",
    wallet: "/topup",
  }),
);

// Numbers in addresses of forms mean something else there, so that the list is shown in their
// place.
const alone =
  /^\/(channel|keys|log|pricing|profile|redemption|redemption-codes|setting|system-settings|token|usage-logs|wallet)(?:\/|$)/;
const below = /^\/(?:console|panel)(?:\/([^/]*)|$)/;

/** The path to go to; undefined for a page that is none of theirs. */
export function findOwnPage(path: string): string | undefined {
  if (path === "/user") return "/users";
  if (/^\/ui(\/|$)/.test(path)) return "/";
  const found = alone.exec(path) ?? below.exec(path);
  return found ? pages.get(found[1] ?? "") : undefined;
}
