/** The addresses of Gemini's interface: `/v1beta/models/{model}:{operation}`. */
import { gemini, geminiList, operationAt } from "./gemini.ts";
import { batchEmbedContents, embedContent } from "./gemini-embeddings.ts";
import type { Asked, Call, Shape, TokenCounter } from "./shape.ts";

const operationPath = /^\/v1(?:beta)?\/models\/(.+):(\w+)$/;
const isEventStream = /[?&]alt=sse(?:&|$)/;

/** The shape of one call, which knows what the address says; undefined where it says nothing that we offer. */
export function geminiCallAt(path: string, target: string): Shape | undefined {
  const [, model = "", operation = ""] = operationPath.exec(path) ?? [];
  const isStream = operation === "streamGenerateContent" && isEventStream.test(target);
  const shape = shapeOf(operation, isStream);
  return shape && forModel(shape, model, isStream);
}

const forModel = (shape: Shape, model: string, isStream: boolean): Shape => ({
  ...shape,
  read: (...body) => ({ ...shape.read(...body), model: decoded(model), isStream }),
});

function shapeOf(operation: string, isStream: boolean): Shape | undefined {
  switch (operation) {
    case "generateContent":
      return gemini;
    case "streamGenerateContent":
      return isStream ? gemini : geminiList;
    case "embedContent":
      return embedContent;
    case "batchEmbedContents":
      return batchEmbedContents;
    default:
      return undefined;
  }
}

/** How long a prompt is: as a list of turns, or as the whole call that is meant, which names the model again. */
const counting: Shape = {
  ...gemini,
  address: (models, _call, model) => operationAt(models, model, "countTokens"),
  read(json, isEstimateRough): Asked {
    const { generateContentRequest } = (json ?? {}) as { generateContentRequest?: unknown };
    return gemini.read(generateContentRequest ?? json, isEstimateRough);
  },
  bodyFor({ body }: Call, name: string): Buffer {
    const { generateContentRequest } = JSON.parse(body.toString("utf8")) as { generateContentRequest?: object };
    if (!generateContentRequest) return body;
    const meant = { ...generateContentRequest, model: `models/${name}` };
    return Buffer.from(JSON.stringify({ generateContentRequest: meant }));
  },
};

export function geminiCounterAt(path: string): TokenCounter | undefined {
  const [, model = "", operation] = operationPath.exec(path) ?? [];
  return operation === "countTokens" ? { shape: forModel(counting, model, false), total: "totalTokens" } : undefined;
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
