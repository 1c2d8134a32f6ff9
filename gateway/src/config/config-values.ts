/** The forms that values of variables have, and what an operator is told of a value in another. */
import { type AddressBlock, parseBlock } from "@tollgate/contract/api/cidr.ts";
import { clientOperations } from "@tollgate/contract/api/client-operations.ts";
import { isConsolePath } from "@tollgate/contract/site/console-paths.ts";
import * as z from "zod/mini";
import { headerNamePattern } from "../http/trusted-header-settings.ts";

export const list = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

export const block = z.pipe(
  z.string(),
  z.transform((text, context): AddressBlock => {
    const parsed = parseBlock(text);
    if (parsed) return parsed;
    context.issues.push({
      code: "custom",
      message: `${text} is not an address or CIDR block`,
      input: text,
    });
    return z.NEVER;
  }),
);

export const defineInteger = (min: number, max: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,9}$/, "must be a whole number")),
    z.pipe(z.transform(Number), z.int().check(z.minimum(min), z.maximum(max))),
  );

function isHostAndPort(text: string): boolean {
  const port = Number(/^(?:\[[0-9a-f:]+\]|[^:\s]+):(\d{1,5})$/.exec(text)?.[1]);
  return port >= 1 && port <= 65_535;
}

export const hostAndPortList = z._default(
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => list(text.toLowerCase())),
    ),
    z.array(z.string().check(z.refine(isHostAndPort, "must be host:port pairs"))),
  ),
  [],
);

export const webAddress = z.pipe(
  z
    .string()
    .check(z.refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), "must be a URL")),
  z.transform((text) => text.replace(/\/+$/, "")),
);

/** The page and its scripts carry the path of the site as it is. */
const sitePath = /^\/(?:[\w~-][\w.~-]*(?:\/|$))*$/;

/**
 * `ownSections` are first parts of the gateway's own paths besides those of the console. Below one
 * of them, a request that lost the path of the site could be read as one that still has it.
 */
const ownSections: ReadonlySet<string> = new Set([
  ...Object.values(clientOperations).map(({ path }) => path.split("/")[1] ?? ""),
  // The names under which clients of other servers reach the same operations.
  ...["openai", "engines", "anthropic", "gemini"],
  ...["api", "assets", "healthz", "readyz", "livez", "metrics"],
]);
const versionSection = /^v\d/;

function isOwnPath(pathname: string): boolean {
  const [, first = ""] = pathname.split("/");
  return ownSections.has(first) || versionSection.test(first) || isConsolePath(pathname);
}

/** `siteUrl` is the address of the console: an origin, and a path where it has one. */
export const siteUrl = z.optional(
  z.string().check(
    z.refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
      error: "must be a URL",
      abort: true,
    }),
    z.refine((text) => {
      const { pathname, search, hash } = new URL(text);
      return sitePath.test(pathname) && search === "" && hash === "";
    }, "may have a path of letters, digits, '-', '_', '.' and '~', and nothing after it"),
    z.refine((text) => {
      const { pathname } = new URL(text);
      return pathname === "/" || !isOwnPath(pathname);
    }, "must have a path that does not begin as one of the gateway's own, such as /api or /login"),
  ),
);

export const signInHeader = z.optional(
  z.string().check(z.regex(headerNamePattern, "must be the name of a header")),
);

export const postgresUrl = z
  .string()
  .check(z.regex(/^postgres(ql)?:\/\//, "must begin with postgres://"));

/** Special characters in user name and password are percent-encoded. */
export function isSmtpUrl(text: string): boolean {
  if (!/^smtps?:\/\//.test(text)) return false;
  try {
    const { hostname, username, password } = new URL(text);
    decodeURIComponent(username + password);
    return hostname !== "";
  } catch {
    return false;
  }
}

/** Like isSmtpUrl, with a database number as the only path. */
export function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\//.test(text)) return false;
  try {
    const { hostname, username, password, pathname } = new URL(text);
    decodeURIComponent(username + password);
    return hostname !== "" && /^\/?\d{0,5}$/.test(pathname);
  } catch {
    return false;
  }
}
