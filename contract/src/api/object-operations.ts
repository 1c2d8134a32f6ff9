/** The addresses of the client API for what providers keep for users. */
import {
  type ClientOperation,
  openAiPage,
  readAnthropicPage,
  readGeminiPage,
} from "./client-operation.ts";

type OperationRow = readonly [
  ClientOperation["method"],
  path: string,
  summary: string,
  body?: ClientOperation["body"],
];

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
    createBatch: [
      "POST",
      "/v1/batches",
      "Run the requests in a file, held for now and charged at the end",
      "json",
    ],
    listBatches: ["GET", "/v1/batches", "The batches of the key's owner"],
    readBatch: ["GET", "/v1/batches/{id}", "One of these batches"],
    cancelBatch: [
      "POST",
      "/v1/batches/{id}/cancel",
      "End a batch; what it has answered is charged",
    ],
  }),
  ...operations(openAiPage("videos"), {
    createVideo: [
      "POST",
      "/v1/videos",
      "Make a video, held for now and charged at the end; JSON or a form",
      "json",
    ],
    listVideos: ["GET", "/v1/videos", "The videos of the key's owner"],
    readVideo: ["GET", "/v1/videos/{id}", "One of these videos, as far as it is"],
    readVideoContent: [
      "GET",
      "/v1/videos/{id}/content",
      "The bytes of a video, its thumbnail or its sprites",
    ],
    remixVideo: ["POST", "/v1/videos/{id}/remix", "Make another video of one", "json"],
    deleteVideo: ["DELETE", "/v1/videos/{id}", "Delete a video that has ended"],
  }),
  ...operations(openAiPage("conversations"), {
    createConversation: [
      "POST",
      "/v1/conversations",
      "Begin a conversation that calls of Responses can name",
      "json",
    ],
    readConversation: ["GET", "/v1/conversations/{id}", "A conversation of the key's owner"],
    updateConversation: [
      "POST",
      "/v1/conversations/{id}",
      "Replace the metadata of a conversation",
      "json",
    ],
    deleteConversation: ["DELETE", "/v1/conversations/{id}", "Delete a conversation"],
    addConversationItems: [
      "POST",
      "/v1/conversations/{id}/items",
      "Add items to a conversation",
      "json",
    ],
    listConversationItems: ["GET", "/v1/conversations/{id}/items", "The items of a conversation"],
    readConversationItem: ["GET", "/v1/conversations/{id}/items/{item}", "One of these items"],
    deleteConversationItem: ["DELETE", "/v1/conversations/{id}/items/{item}", "Delete an item"],
  }),
  ...operations(openAiPage("vector-stores"), {
    createVectorStore: [
      "POST",
      "/v1/vector_stores",
      "Make a vector store of files that calls can search",
      "json",
    ],
    listVectorStores: ["GET", "/v1/vector_stores", "The vector stores of the key's owner"],
    readVectorStore: ["GET", "/v1/vector_stores/{id}", "One of these vector stores"],
    updateVectorStore: [
      "POST",
      "/v1/vector_stores/{id}",
      "Change name, expiry or metadata",
      "json",
    ],
    deleteVectorStore: ["DELETE", "/v1/vector_stores/{id}", "Delete a vector store"],
    searchVectorStore: ["POST", "/v1/vector_stores/{id}/search", "Search a vector store", "json"],
    addVectorStoreFile: [
      "POST",
      "/v1/vector_stores/{id}/files",
      "Add a file of the key's owner",
      "json",
    ],
    listVectorStoreFiles: ["GET", "/v1/vector_stores/{id}/files", "The files in a vector store"],
    readVectorStoreFile: ["GET", "/v1/vector_stores/{id}/files/{file}", "One of these files"],
    updateVectorStoreFile: [
      "POST",
      "/v1/vector_stores/{id}/files/{file}",
      "Replace the attributes of a file",
      "json",
    ],
    removeVectorStoreFile: [
      "DELETE",
      "/v1/vector_stores/{id}/files/{file}",
      "Take a file out of a vector store",
    ],
    readVectorStoreFileContent: [
      "GET",
      "/v1/vector_stores/{id}/files/{file}/content",
      "The text of a file",
    ],
    addVectorStoreFiles: [
      "POST",
      "/v1/vector_stores/{id}/file_batches",
      "Add several files at once",
      "json",
    ],
    readVectorStoreFileBatch: [
      "GET",
      "/v1/vector_stores/{id}/file_batches/{batch}",
      "How far this is",
    ],
    cancelVectorStoreFileBatch: [
      "POST",
      "/v1/vector_stores/{id}/file_batches/{batch}/cancel",
      "End it",
    ],
    listVectorStoreBatchFiles: [
      "GET",
      "/v1/vector_stores/{id}/file_batches/{batch}/files",
      "The files of it",
    ],
  }),
  ...operations(openAiPage("containers"), {
    createContainer: [
      "POST",
      "/v1/containers",
      "Make a container for the programs of calls",
      "json",
    ],
    listContainers: ["GET", "/v1/containers", "The containers of the key's owner"],
    readContainer: ["GET", "/v1/containers/{id}", "One of these containers"],
    deleteContainer: ["DELETE", "/v1/containers/{id}", "Delete a container"],
    addContainerFile: [
      "POST",
      "/v1/containers/{id}/files",
      "Add a file of the key's owner",
      "json",
    ],
    listContainerFiles: ["GET", "/v1/containers/{id}/files", "The files in a container"],
    readContainerFile: ["GET", "/v1/containers/{id}/files/{file}", "One of these files"],
    readContainerFileContent: [
      "GET",
      "/v1/containers/{id}/files/{file}/content",
      "The bytes of a file",
    ],
    deleteContainerFile: [
      "DELETE",
      "/v1/containers/{id}/files/{file}",
      "Delete a file in a container",
    ],
  }),
  ...operations(readGeminiPage("caching"), {
    createCachedContent: [
      "POST",
      "/v1beta/cachedContents",
      "Keep a prompt that calls of Gemini's format can name",
      "json",
    ],
    listCachedContents: ["GET", "/v1beta/cachedContents", "The caches of the key's owner"],
    readCachedContent: [
      "GET",
      "/v1beta/cachedContents/{id}",
      "One of these caches, without its content",
    ],
    changeCachedContent: [
      "PATCH",
      "/v1beta/cachedContents/{id}",
      "Keep a cache for another time",
      "json",
    ],
    deleteCachedContent: ["DELETE", "/v1beta/cachedContents/{id}", "Delete a cache"],
  }),
  ...operations(readGeminiPage("files"), {
    uploadGeminiFile: [
      ...(["POST", "/upload/v1beta/files"] as const),
      "Store a file that calls of Gemini's format can name: begins the upload, and takes its pieces at the address it answers",
      "json",
    ],
    listGeminiFiles: ["GET", "/v1beta/files", "The files of the key's owner"],
    readGeminiFile: ["GET", "/v1beta/files/{id}", "One of these files"],
    deleteGeminiFile: ["DELETE", "/v1beta/files/{id}", "Delete a file"],
  }),
  ...operations(readAnthropicPage("creating-message-batches"), {
    createMessageBatch: [
      ...(["POST", "/v1/messages/batches"] as const),
      "Run requests of the Messages format, held for now and charged at the end",
      "json",
    ],
    listMessageBatches: ["GET", "/v1/messages/batches", "The message batches of the key's owner"],
    readMessageBatch: ["GET", "/v1/messages/batches/{id}", "One of these batches"],
    readMessageBatchResults: [
      "GET",
      "/v1/messages/batches/{id}/results",
      "The answers of a batch that has ended",
    ],
    cancelMessageBatch: [
      "POST",
      "/v1/messages/batches/{id}/cancel",
      "End a batch; what it has answered is charged",
    ],
    deleteMessageBatch: ["DELETE", "/v1/messages/batches/{id}", "Delete a batch that has ended"],
  }),
};
