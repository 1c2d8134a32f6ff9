/**
 * Tags of calls: words of the form `key=value` that clients or API keys attach to calls, by which
 * logs are filtered and spending is summed. Only the keys that root declared (`TagKeys`) are summed
 * and have budgets.
 */
import * as z from "zod/mini";
import { makeAboutField } from "../api/field-message.ts";
import { line } from "../api/scalars.ts";

/** Each is a row of the roll-up for every call that has it. */
export const countedTagKeysMax = 5;
export const tagsPerCallMax = 10;
/**
 * Values of one key that a month counts by name; further ones count together as `otherTagValue`.
 */
export const tagValuesPerMonthMax = 1_000;
export const otherTagValue = "(other)";
/** `anyTagValue` is in a budget: every value that has no budget of its own. */
export const anyTagValue = "*";
/**
 * The key under which calls have what clients say of their own users: OpenAI's `user`, Anthropic's
 * `metadata.user_id` and the like.
 */
export const endUserTagKey = "end_user";

const tagValueMax = 64;
const keyPattern = /^[a-z0-9_.-]{1,32}$/;
/** `valuePattern` takes no invisible characters, and no commas, which separate tags. */
const valuePattern = /^[^\p{C}\p{Zl}\p{Zp},]{1,64}$/u;

export const tagKey = z
  .string()
  .check(
    z.regex(keyPattern, makeAboutField("must be up to 32 lower-case letters, digits and _ . -")),
  );

/**
 * A tag as it is stored and compared: keys in lower case. Undefined where key or value are not
 * those of a tag.
 */
export function findTag(key: string, value: string): [key: string, value: string] | undefined {
  const [name, text] = [key.trim().toLowerCase(), value.trim()];
  return keyPattern.test(name) && text.length <= tagValueMax && valuePattern.test(text)
    ? [name, text]
    : undefined;
}

/**
 * `team=search,env=prod`; undefined where a part is no tag, a key stands there twice, or there are
 * too many.
 */
export function readTagList(text: string): [key: string, value: string][] | undefined {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const tags = parts.flatMap((part) => {
    const sign = part.indexOf("=");
    const tag = sign < 0 ? undefined : findTag(part.slice(0, sign), part.slice(sign + 1));
    return tag ? [tag] : [];
  });
  const isSound =
    tags.length === parts.length && new Set(tags.map(([key]) => key)).size === tags.length;
  return isSound && tags.length <= tagsPerCallMax ? tags : undefined;
}

export const formatTagListText = (tags: readonly (readonly [string, string])[]): string =>
  tags.map(([key, value]) => `${key}=${value}`).join(",");

/** The tags of an API key: its calls have them, whatever their client says. */
export const tagList = z.pipe(
  line(1_000).check(
    z.refine(
      (text) => readTagList(text) !== undefined,
      makeAboutField(
        `must be at most ${tagsPerCallMax} tags such as team=search,env=prod: keys of letters, digits and _ . - (up to 32), values of up to 64 characters`,
      ),
    ),
  ),
  z.transform((text) => formatTagListText(readTagList(text) ?? [])),
);

const parseKeys = (text: string): string[] =>
  [...new Set(text.split(",").map((key) => key.trim().toLowerCase()))].filter(Boolean);

/** Comma-joined keys; undefined where one is no key, or there are too many. */
export function readTagKeys(text: string): string[] | undefined {
  const keys = parseKeys(text);
  return keys.length <= countedTagKeysMax && keys.every((key) => keyPattern.test(key))
    ? keys
    : undefined;
}

/** Keys of tags that every call of an API key must have. */
export const tagKeyList = z.pipe(
  line(200).check(
    z.refine(
      (text) => readTagKeys(text) !== undefined,
      makeAboutField(
        `must be at most ${countedTagKeysMax} keys of letters, digits and _ . - separated by commas`,
      ),
    ),
  ),
  z.transform((text) => parseKeys(text).join(",")),
);

/** `singleTag` is one tag, as a filter or the subject of a budget has it. */
export const singleTag = z.pipe(
  line(100).check(
    z.refine(
      (text) => readTagList(text)?.length === 1,
      makeAboutField("must be one tag such as team=search"),
    ),
  ),
  z.transform((text) => formatTagListText(readTagList(text) ?? [])),
);
