/**
 * Rules for comparing and changing usernames. Pure. contract/src/accounts/users.ts says which are
 * accepted.
 */
import { defineUsername, username } from "@tollgate/contract/accounts/users.ts";
import * as z from "zod/mini";
import { issueMessage, refuseInvalidRequest } from "../../../http/validation-errors.ts";

/**
 * Cyrillic and Greek letters that look like Latin ones, in either case: each stands for the letter
 * below it.
 */
const lookAlikes = {
  foreign: "авекмнорстухіјѕһԁԛԝαβεικνορτυχ",
  latin: "abekmhopctyxijshdqwabeikvoptux",
};
const latinOf = new Map(
  [...lookAlikes.foreign].map((letter, at) => [letter, lookAlikes.latin[at] ?? letter]),
);
const invisible = /[\p{Cf}\p{DI}]/gu;

/** Names with the same folded form look the same to people, so only one account may have it. */
export const foldUsername = (name: string): string =>
  [...name.normalize("NFKC").replace(invisible, "").trim().toLowerCase().normalize("NFKC")]
    .map((letter) => latinOf.get(letter) ?? letter)
    .join("");

/**
 * `isReservedUsername` says that the name is that of the first account: nobody registers with it,
 * in any spelling, and no import brings it.
 */
export const isReservedUsername = (name: string): boolean => foldUsername(name) === "root";

const named = z.object({ username });

/** Administrators may give shorter names than users may choose. */
const givenUsername = defineUsername(1, "");
/** `isAcceptedUsername` says whether the name could be given today. */
export const isAcceptedUsername = (name: string): boolean =>
  z.safeParse(givenUsername, name).data === name;

/**
 * The new name as it is stored, or undefined when it stays. Forms send an unchanged name too, and
 * one of before today's rules may break them.
 */
export function readNewName(current: string, requested: string | undefined): string | undefined {
  if (requested === undefined || requested === current) return undefined;
  const parsed = z.safeParse(named, { username: requested }, { error: issueMessage });
  if (!parsed.success) throw refuseInvalidRequest(parsed.error);
  return parsed.data.username === current ? undefined : parsed.data.username;
}
