/** Tells better-auth where a request came from, in place of headers that anybody can send. */
export const ADDRESS_HEADER = 'x-waybill-address';
