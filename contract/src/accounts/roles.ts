/**
 * Roles and states of accounts, without schemas: lists of the console name them and load no schema
 * library.
 */

export const roles = { guest: 0, user: 1, admin: 10, root: 100 } as const;
export const userStatus = { enabled: 1, disabled: 2, deleted: 3 } as const;
