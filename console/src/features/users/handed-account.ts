import { createHandover } from "../../components/keys/handed-over.ts";

/** `HandedAccount` is what a new user needs to sign in. */
export type HandedAccount = { username: string; password: string; email: string };

/** The account that the form has just created. */
export const createdAccount = createHandover<HandedAccount>();
