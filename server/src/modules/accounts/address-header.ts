/** Carries the client's address to better-auth, in place of headers that anybody can send. */
export const ADDRESS_HEADER = 'x-waybill-address';
