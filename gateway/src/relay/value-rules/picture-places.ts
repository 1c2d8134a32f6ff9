/**
 * Pictures and files stand in turns of the user alone: those of the system and of the model move
 * into the user's next turn. Pure.
 */
import { isRecord, type JsonRecord, records } from "../wire/json-parts.ts";
import { joinWords } from "./conversation-fits.ts";

/** `PlaceForms` is how an API writes the turns that a picture may move between. */
interface PlaceForms {
  /** The list of turns, and the member of a turn with its parts. */
  list: "messages" | "contents";
  parts: "content" | "parts";
  isFile(part: JsonRecord): boolean;
  /** The user's words as a part of a list. */
  say(words: string): JsonRecord;
  /** What stands in a turn of which `kept` are the parts that stay. */
  writeRest(kept: JsonRecord[], turn: JsonRecord): unknown;
}

const keepParts = (kept: JsonRecord[]): unknown => kept;

const chatFiles = new Set<unknown>(["image_url", "file", "input_audio", "video_url"]);
const chatForms: PlaceForms = {
  list: "messages",
  parts: "content",
  isFile: ({ type }) => chatFiles.has(type),
  say: (words) => ({ type: "text", text: words }),
  // A text is read by every server.
  writeRest(kept, { tool_calls, role }) {
    const words = joinWords(kept);
    return words === "" && tool_calls !== undefined && role !== "tool" ? null : words;
  },
};
const messagesForms: PlaceForms = {
  ...chatForms,
  isFile: ({ type }) => type === "image" || type === "document",
  writeRest: keepParts,
};
const converseForms: PlaceForms = {
  ...chatForms,
  isFile: ({ image, document, video }) => isRecord(image) || isRecord(document) || isRecord(video),
  say: (words) => ({ text: words }),
  writeRest: keepParts,
};
const geminiForms: PlaceForms = {
  list: "contents",
  parts: "parts",
  isFile: ({ inlineData, fileData }) => isRecord(inlineData) || isRecord(fileData),
  say: (words) => ({ text: words }),
  writeRest: keepParts,
};

const listFiles = (value: unknown, { isFile }: PlaceForms): JsonRecord[] =>
  Array.isArray(value) ? records(value).filter(isFile) : [];

/** `addToTurn` puts the files before what the user says. */
function addToTurn(turn: JsonRecord, files: readonly JsonRecord[], forms: PlaceForms): JsonRecord {
  const said = turn[forms.parts];
  const own = typeof said === "string" ? [forms.say(said)] : records(said);
  return { ...turn, [forms.parts]: [...files, ...own] };
}

/** `moveFiles` gives the user's next turn the files of other turns. */
function moveFiles(turns: readonly JsonRecord[], forms: PlaceForms): JsonRecord[] {
  const moved: JsonRecord[] = [];
  const waiting: JsonRecord[] = [];
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
      moved.push({ ...turn, [forms.parts]: forms.writeRest(kept, turn) });
  }
  makeTurn();
  return moved;
}

const hasMisplaced = (turns: unknown, forms: PlaceForms): boolean =>
  records(turns).some(
    (turn) => turn.role !== "user" && listFiles(turn[forms.parts], forms).length > 0,
  );

/** `buildMoveFit` is for APIs whose turns of the system and of the model are words and calls. */
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
        [forms.list]: moveFiles(records(body[forms.list]), forms),
      }),
    },
  }) as const;

export const moveChatFiles = buildMoveFit(chatForms);
export const moveMessagesFiles = buildMoveFit(messagesForms);
export const moveConverseFiles = buildMoveFit(converseForms);

/** `moveSystemFiles` puts them into the first turn of the user; `kept` is the rest of the system. */
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

/** `buildSystemFit` is for APIs whose system prompt is a list of texts. */
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

/** `moveGeminiSystemFiles`: Gemini's instruction is text, too. */
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
