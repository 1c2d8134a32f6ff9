/**
 * What programs do with a library beside asking once: how it is driven, and what the provider then
 * does.
 */
import type { ConversationEndpoint } from "../conformance/conversation-scenario.ts";
import type { ForeignTask } from "./foreign-clients.ts";

/** `taskScenarios` are what the provider of a task does. */
const taskScenarios = [
  "words",
  "turn",
  "held",
  "broken",
  "silent",
  "busy",
  "error-400",
  "error-429",
  "error-overloaded",
  "count",
  "embeddings",
] as const;
export type TaskScenario = (typeof taskScenarios)[number];

export interface ClientTask {
  /** The heading of its column. */
  title: string;
  /** What is driven and must be true, for the page. */
  meaning: string;
  does: ForeignTask;
  played: TaskScenario;
  streams: readonly boolean[];
  /** Interfaces of the libraries that have it; all without it. */
  entries?: readonly ConversationEndpoint[];
  /** Formats of providers, beside the client's own, that are tried; all without it. */
  over?: readonly ConversationEndpoint[];
}

const whole = [false];
const streamed = [true];
const both = [false, true];
const ownFormat = { over: [] };

export const clientTasks: readonly ClientTask[] = [
  {
    title: "picture",
    meaning: "a picture in the question reaches the provider.",
    does: "picture",
    played: "words",
    streams: whole,
  },
  {
    title: "second turn",
    meaning:
      "thinking and a call, then the result of the tool: thoughts come back with the signature or encrypted reasoning that the provider gave them, wherever the translation keeps them (docs/translations.md).",
    does: "turn",
    played: "turn",
    streams: both,
  },
  {
    title: "client leaves",
    meaning:
      "a program that leaves after the first text ends the call at the provider, and what was delivered is charged.",
    does: "leave",
    played: "held",
    streams: streamed,
  },
  {
    title: "provider breaks off",
    meaning:
      "an error after the first text (overloaded, failed) reaches the program as an error of the library, and what was delivered is charged.",
    does: "read on",
    played: "broken",
    streams: streamed,
  },
  {
    title: "timeout",
    meaning:
      "the library gives up after 2 s: the call at the provider ends, and nothing is charged.",
    does: "wait briefly",
    played: "silent",
    streams: whole,
    ...ownFormat,
  },
  {
    title: "retry",
    meaning:
      "status 429 with `retry-after: 1`: the library asks again by itself and gets the answer.",
    does: "retry",
    played: "busy",
    streams: both,
  },
  {
    title: "context too long",
    meaning: "the provider's words, status and code reach the program.",
    does: "ask",
    played: "error-400",
    streams: both,
  },
  {
    title: "rate limit",
    meaning:
      "status and `retry-after` reach the program as the library's own error; the words are the gateway's.",
    does: "ask",
    played: "error-429",
    streams: both,
  },
  {
    title: "overloaded",
    meaning: "status 529 or 503 reaches the program; the words are the gateway's.",
    does: "ask",
    played: "error-overloaded",
    streams: both,
  },
  {
    title: "token count",
    meaning: "the provider's count.",
    does: "count",
    played: "count",
    streams: whole,
    entries: ["Responses", "Messages", "Gemini"],
    ...ownFormat,
  },
  {
    title: "embeddings",
    meaning: "two vectors.",
    does: "embed",
    played: "embeddings",
    streams: whole,
    entries: ["Chat Completions", "Gemini"],
    ...ownFormat,
  },
  {
    title: "request id",
    meaning: "the library's own field holds the id of the log row.",
    does: "ask",
    played: "words",
    streams: whole,
    // Google's library hands none to programs.
    entries: ["Chat Completions", "Responses", "Messages"],
    ...ownFormat,
  },
];

/**
 * Whole and streamed calls have models of their own, so that the provider's side of each is known.
 */
export const taskModel = ({ played }: ClientTask, isStream: boolean): string =>
  `${played}-${isStream ? "streamed" : "whole"}`;
export const taskModels = [
  ...new Set(clientTasks.flatMap((task) => both.map((stream) => taskModel(task, stream)))),
];
export const playedInTask = (name: string): TaskScenario | undefined =>
  taskScenarios.find((played) => name === `${played}-streamed` || name === `${played}-whole`);

/** The name of a task's test, by which the page finds its result. */
export const taskTestName = ({ title }: ClientTask): string => `does the same: ${title}`;
