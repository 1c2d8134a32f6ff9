/** The addresses of the client API for what providers keep for users: files and batches. */
import { anthropicPage, type ClientOperation, openAiPage } from "./client-operation.ts";

type OperationRow = readonly [ClientOperation["method"], path: string, summary: string, body?: ClientOperation["body"]];

function operations(
  format: string,
  rows: Readonly<Record<string, OperationRow>>,
): Readonly<Record<string, ClientOperation>> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, [method, path, summary, body]]) => [
      name,
      { method, path, summary, ...(body && { body }), format },
    ]),
  );
}

export const objectOperations: Readonly<Record<string, ClientOperation>> = {
  ...operations(openAiPage("files"), {
    uploadFile: ["POST", "/v1/files", "Store a file at a provider, to be named in calls", "form"],
    listFiles: ["GET", "/v1/files", "The files of the key's owner"],
    readFile: ["GET", "/v1/files/{id}", "One of these files"],
    readFileContent: ["GET", "/v1/files/{id}/content", "The bytes of a file"],
    deleteFile: ["DELETE", "/v1/files/{id}", "Delete a file"],
  }),
  ...operations(openAiPage("batch"), {
    createBatch: ["POST", "/v1/batches", "Run the requests in a file, held for now and charged at the end", "json"],
    listBatches: ["GET", "/v1/batches", "The batches of the key's owner"],
    readBatch: ["GET", "/v1/batches/{id}", "One of these batches"],
    cancelBatch: ["POST", "/v1/batches/{id}/cancel", "End a batch; what it has answered is charged"],
  }),
  ...operations(anthropicPage("creating-message-batches"), {
    createMessageBatch: [
      ...(["POST", "/v1/messages/batches"] as const),
      "Run requests of the Messages format, held for now and charged at the end",
      "json",
    ],
    listMessageBatches: ["GET", "/v1/messages/batches", "The message batches of the key's owner"],
    readMessageBatch: ["GET", "/v1/messages/batches/{id}", "One of these batches"],
    readMessageBatchResults: ["GET", "/v1/messages/batches/{id}/results", "The answers of a batch that has ended"],
    cancelMessageBatch: ["POST", "/v1/messages/batches/{id}/cancel", "End a batch; what it has answered is charged"],
    deleteMessageBatch: ["DELETE", "/v1/messages/batches/{id}", "Delete a batch that has ended"],
  }),
};
