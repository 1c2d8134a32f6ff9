/**
 * Recognises passwords that are guessed first. Published lists of the most common passwords repeat
 * a few words with a digit or a mark after them, so we keep the words and strip what is commonly
 * put around them. Pure.
 */
import { buildMeaning } from "@tollgate/contract/api/errors.ts";
import { refuse } from "../../../http/refusal.ts";
import { commonPasswordWords } from "./common-password-words.ts";

const common = new Set(commonPasswordWords);
/** Longer endings are not common. */
const tailMax = 4;
const rows = [
  "01234567890",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "abcdefghijklmnopqrstuvwxyz",
];
const lookalikes: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
};

export function isCommonPassword(password: string, username: string): boolean {
  const typed = password.normalize("NFC").toLowerCase().replace(/\s+/g, "");
  const name = username.toLowerCase();
  return (
    typed === name ||
    typed === [...name].reverse().join("") ||
    isRepeated(typed) ||
    listForms(typed).some(isKnown)
  );
}

const isKnown = (word: string) => word === "" || common.has(word) || isRun(word);

/**
 * `listForms` gives the password as typed, without a short tail of digits and marks, and with
 * digits read as the letters they resemble.
 */
function listForms(typed: string): string[] {
  const tail = /[^a-z]*$/.exec(typed)?.[0] ?? "";
  const stems =
    tail.length <= tailMax ? [typed, typed.slice(0, typed.length - tail.length)] : [typed];
  const read = (text: string) => text.replace(/[0134577@$]/g, (sign) => lookalikes[sign] ?? sign);
  return [...stems, ...stems.map(read), /^[0-9]{1,4}(.+)$/.exec(typed)?.[1] ?? typed];
}

/** `aaaaaaaa`, `abcabcabc`, `12121212`: a short part repeated. */
const isRepeated = (text: string) => /^(.{1,4})\1+.{0,1}$/su.test(text);

/** Neighbouring keys of a keyboard or letters of the alphabet, in either direction. */
const isRun = (text: string) =>
  text.length >= 5 &&
  rows.some((row) => row.includes(text) || [...row].reverse().join("").includes(text));

export function checkPassword(password: string, username: string): void {
  if (!isCommonPassword(password, username)) return;
  throw refuse("password_too_common", {
    fields: { password: buildMeaning("password_too_common").message },
  });
}
