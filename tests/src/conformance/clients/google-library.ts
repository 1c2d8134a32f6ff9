// The official library of Google.
import { type Content, type GenerateContentResponse, GoogleGenAI, type Part } from "@google/genai";
import {
  citySchema,
  imageBase64,
  joinText,
  type LibraryClient,
  type LibraryReply,
  type LibraryRequest,
  prompt,
  toolDefinitions,
  toolResults,
} from "../conversation-scenario.ts";

export const googleGemini: LibraryClient = {
  library: "@google/genai",
  entry: "Gemini",
  cannot: () => undefined,
  connect({ url, key }) {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
    return async (ask) => {
      const contents = contentsOf(ask);
      const asked = {
        model: ask.model,
        contents,
        config: {
          systemInstruction: "Be brief.",
          ...(ask.uses === "tools" || ask.uses === "thinking"
            ? {
                tools: [
                  {
                    functionDeclarations: toolDefinitions.map(({ name, description, schema }) => ({
                      name,
                      description,
                      parametersJsonSchema: schema,
                    })),
                  },
                ],
              }
            : {}),
          ...(ask.uses === "structure"
            ? { responseMimeType: "application/json", responseJsonSchema: citySchema }
            : {}),
          ...(ask.uses === "thinking" ? { thinkingConfig: { includeThoughts: true } } : {}),
        },
      };
      if (!ask.isStream) return saidIn([await client.models.generateContent(asked)], contents);
      const pieces: GenerateContentResponse[] = [];
      for await (const piece of await client.models.generateContentStream(asked))
        pieces.push(piece);
      return saidIn(pieces, contents);
    };
  },
};

function contentsOf({ uses, after }: LibraryRequest): Content[] {
  if (after) {
    const parts = after.calls.map(({ id, name }) => ({
      functionResponse: { ...(id !== "" && { id }), name, response: { ...toolResults[name] } },
    }));
    return [...(after.turn as Content[]), { role: "user", parts }];
  }
  const shown =
    uses === "picture" ? [{ inlineData: { mimeType: "image/png", data: imageBase64 } }] : [];
  return [{ role: "user", parts: [{ text: prompt }, ...shown] }];
}

function saidIn(pieces: GenerateContentResponse[], contents: Content[]): LibraryReply {
  const parts: Part[] = pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const usage = pieces.at(-1)?.usageMetadata;
  const reasons = pieces.map(
    ({ candidates, promptFeedback }) =>
      candidates?.[0]?.finishReason ?? promptFeedback?.blockReason,
  );
  return {
    text: joinText(parts.map(({ text, thought }) => (thought ? "" : text))),
    thought: joinText(parts.map(({ text, thought }) => (thought ? text : ""))),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall
        ? [{ id: functionCall.id ?? "", name: functionCall.name ?? "", input: functionCall.args }]
        : [],
    ),
    tokens: usage && {
      input: usage.promptTokenCount ?? 0,
      output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
      cached: usage.cachedContentTokenCount ?? 0,
    },
    finish: reasons.findLast((reason) => reason !== undefined) ?? "",
    turn: [...contents, { role: "model", parts }],
  };
}
