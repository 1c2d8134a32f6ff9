/**
 * The proof that the check of an account gave, and the models that a new channel is proposed with.
 * Pure.
 */
import type { DataOf } from "@tollgate/contract/api/endpoint.ts";
import type { checkProvider } from "@tollgate/contract/catalogue/provider-check.ts";

export type ConnectReply = DataOf<typeof checkProvider>;

/**
 * `listed`: the provider listed its models for the key. `answered`: it listed none and answered a
 * question. `nothing`: neither.
 */
export type ConnectProof = "listed" | "answered" | "nothing";

export function findProof({ source, test, address_issue }: ConnectReply): ConnectProof {
  if (address_issue !== "") return "nothing";
  if (source === "provider") return "listed";
  return test?.ok === true ? "answered" : "nothing";
}

/**
 * Names that the provider did not list are known for its type alone: only the one that answered is
 * proposed.
 */
export function proposeModels(reply: ConnectReply): ReadonlySet<string> {
  switch (findProof(reply)) {
    case "listed":
      return new Set(reply.models.filter(({ is_usual }) => is_usual).map(({ name }) => name));
    case "answered":
      return new Set(reply.test === null ? [] : [reply.test.model]);
    case "nothing":
      return new Set();
  }
}

/** Names as they are typed: between commas, spaces or lines. */
export const readModelNames = (typed: string): string[] => [
  ...new Set(typed.split(/[\s,;]+/).filter((name) => name !== "")),
];
