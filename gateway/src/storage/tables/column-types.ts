/** The meaning of the integer columns of both databases. */

export type Flag = 0 | 1;
export type Millis = number;
export type QuotaUnits = number;
