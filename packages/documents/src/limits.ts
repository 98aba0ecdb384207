/** Lines of one list that are checked. Sums of a longer list are not. */
export const LINES_CHECKED_MAX = 10_000;
/** Warnings about one document. */
export const WARNINGS_MAX = 50;
/** Digits of a number that takes part in checks, with the zeros that its exponent stands for. */
export const NUMBER_MAX_DIGITS = 60;
