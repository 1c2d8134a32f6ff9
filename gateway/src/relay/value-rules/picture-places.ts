/**
 * Pictures and files stand in turns of the user alone: those of the system and of the model move
 * into the user's next turn. Pure.
 */
import { isRecord, type JsonRecord, records, text } from "../wire/json-parts.ts";

/** `PlaceForms` is how an API writes the turns that a picture may move between. */
interface PlaceForms {
  /** The list of turns, and the member of a turn with its parts. */
  list: "messages" | "contents";
  parts: "content" | "parts";
  isFile(part: JsonRecord): boolean;
  /** The user's words as a part of a list. */
  say(words: string): JsonRecord;
}

const chatFiles = new Set<unknown>(["image_url", "file", "input_audio", "video_url"]);
const chatForms: PlaceForms = {
  list: "messages",
  parts: "content",
  isFile: ({ type }) => chatFiles.has(type),
  say: (words) => ({ type: "text", text: words }),
};
const messagesForms: PlaceForms = {
  ...chatForms,
  isFile: ({ type }) => type === "image" || type === "document",
};
const converseForms: PlaceForms = {
  ...chatForms,
  isFile: ({ image, document, video }) => isRecord(image) || isRecord(document) || isRecord(video),
  say: (words) => ({ text: words }),
};
const geminiForms: PlaceForms = {
  list: "contents",
  parts: "parts",
  isFile: ({ inlineData, fileData }) => isRecord(inlineData) || isRecord(fileData),
  say: (words) => ({ text: words }),
};

const listFiles = (value: unknown, { isFile }: PlaceForms): JsonRecord[] =>
  Array.isArray(value) ? records(value).filter(isFile) : [];

/** The user's turn with the files before what it says. */
function addToTurn(turn: JsonRecord, files: readonly JsonRecord[], forms: PlaceForms): JsonRecord {
  const said = turn[forms.parts];
  const own = typeof said === "string" ? [forms.say(said)] : records(said);
  return { ...turn, [forms.parts]: [...files, ...own] };
}

/** Turns without the files of others than the user; `waiting` go to the first turn of the user. */
function moveFiles(
  turns: readonly JsonRecord[],
  waiting: JsonRecord[],
  forms: PlaceForms,
): JsonRecord[] {
  const moved: JsonRecord[] = [];
  const makeTurn = (): void => {
    if (waiting.length > 0) moved.push({ role: "user", [forms.parts]: waiting.splice(0) });
  };
  for (const turn of turns) {
    if (turn.role === "user") {
      moved.push(waiting.length > 0 ? addToTurn(turn, waiting.splice(0), forms) : turn);
      continue;
    }
    // Results stand right behind their calls.
    if (turn.role !== "tool") makeTurn();
    const files = listFiles(turn[forms.parts], forms);
    waiting.push(...files);
    const kept = records(turn[forms.parts]).filter((part) => !files.includes(part));
    if (files.length === 0) moved.push(turn);
    else if (kept.length > 0 || records(turn.tool_calls).length > 0 || turn.role === "tool")
      moved.push({ ...turn, [forms.parts]: writeRest(kept, turn, forms) });
  }
  makeTurn();
  return moved;
}

/** What is left of a turn of chat completions is a text, which every server reads. */
const writeRest = (
  kept: readonly JsonRecord[],
  { tool_calls, role }: JsonRecord,
  { parts, isFile }: PlaceForms,
): unknown => {
  if (parts === "parts" || isFile !== chatForms.isFile) return kept;
  const words = kept.map((part) => text(part.text)).join("\n\n");
  return words === "" && tool_calls !== undefined && role !== "tool" ? null : words;
};

const hasMisplaced = (turns: unknown, forms: PlaceForms): boolean =>
  records(turns).some(
    (turn) => turn.role !== "user" && listFiles(turn[forms.parts], forms).length > 0,
  );

/** A rule of messages whose turns of the system and of the model are words and calls. */
const buildMoveFit = (forms: PlaceForms) =>
  ({
    member: forms.list,
    refuses: (value: unknown) => hasMisplaced(value, forms),
    refused: "pictures and files in turns of others than the user",
    fit: {
      do: "convert_body",
      words: "the user's next turn has them",
      by: (body: JsonRecord) => ({
        ...body,
        [forms.list]: moveFiles(records(body[forms.list]), [], forms),
      }),
    },
  }) as const;

export const moveChatFiles = buildMoveFit(chatForms);
export const moveMessagesFiles = buildMoveFit(messagesForms);
export const moveConverseFiles = buildMoveFit(converseForms);

/** The system's files, in the first turn of the user, and what is left of the system. */
function moveSystemFiles(
  body: JsonRecord,
  parts: unknown,
  forms: PlaceForms,
): { turns: JsonRecord[]; kept: JsonRecord[] } {
  const files = listFiles(parts, forms);
  const [first, ...others] = records(body[forms.list]);
  const turns =
    first?.role === "user"
      ? [addToTurn(first, files, forms), ...others]
      : [{ role: "user", [forms.parts]: files }, ...records(body[forms.list])];
  return { turns, kept: records(parts).filter((part) => !files.includes(part)) };
}

const systemRefused = "pictures and files";
const systemWords = "the user's first turn has them";

/** A rule of APIs whose system prompt is a list of texts. */
const buildSystemFit = (forms: PlaceForms) =>
  ({
    member: "system",
    refuses: (value: unknown) => listFiles(value, forms).length > 0,
    refused: systemRefused,
    fit: {
      do: "convert_body",
      words: systemWords,
      by: ({ system, ...body }: JsonRecord): JsonRecord => {
        const { turns, kept } = moveSystemFiles(body, system, forms);
        return { ...body, messages: turns, ...(kept.length > 0 && { system: kept }) };
      },
    },
  }) as const;

export const moveMessagesSystemFiles = buildSystemFit(messagesForms);
export const moveConverseSystemFiles = buildSystemFit(converseForms);

/** Gemini's instruction is text, too. */
export const moveGeminiSystemFiles = {
  member: "systemInstruction.parts",
  refuses: (value: unknown) => listFiles(value, geminiForms).length > 0,
  refused: systemRefused,
  fit: {
    do: "convert_body",
    words: systemWords,
    by: ({ systemInstruction, ...body }: JsonRecord): JsonRecord => {
      const system = isRecord(systemInstruction) ? systemInstruction : {};
      const { turns, kept } = moveSystemFiles(body, system.parts, geminiForms);
      return {
        ...body,
        contents: turns,
        ...(kept.length > 0 && { systemInstruction: { ...system, parts: kept } }),
      };
    },
  },
} as const;
