/** Lines of one list that are checked. Sums of a longer list are not. */
export const LINES_CHECKED_MAX = 10_000;
/** Warnings about one document. */
export const WARNINGS_MAX = 50;
/** Digits of a number that takes part in checks, with the zeros that its exponent stands for. */
export const NUMBER_MAX_DIGITS = 60;
/** Values of one document that are listed with their labels, beside the cells of tables. */
export const LABELLED_VALUES_MAX = 20_000;
/** Characters of an XML file that is read. */
export const XML_MAX_CHARS = 4_000_000;
/** Elements of an XML file that is read. */
export const XML_MAX_ELEMENTS = 400_000;
/** Levels to which the elements of an XML file can be nested. */
export const XML_MAX_LEVELS = 50;
/** Characters of a CSV or JSON file that is read. */
export const FILE_MAX_CHARS = 4_000_000;
