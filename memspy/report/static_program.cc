// SPDX-License-Identifier: GPL-2.0-or-later
//
// The statically linked program must not load a library while it runs, because that would bring a second libc
// of the machine's version. libdw would load libdebuginfod before main if DEBUGINFOD_URLS is set; libc would
// load a library for every encoding that it does not have itself; ICU would bring 30 MB of tables. So this
// file replaces these parts. libxml2 reads UTF-8, UTF-16, ASCII and ISO-8859-1 without them, and reports
// other encodings as errors.
#include <iconv.h>

#include <cerrno>

extern "C" void* dlopen(const char*, int) noexcept { return nullptr; }

iconv_t iconv_open(const char*, const char*) {
    errno = EINVAL;
    return reinterpret_cast<iconv_t>(-1);
}
size_t iconv(iconv_t, char**, size_t*, char**, size_t*) {
    errno = EBADF;
    return static_cast<size_t>(-1);
}
int iconv_close(iconv_t) { return 0; }

#if __has_include(<unicode/ucnv.h>)
#include <unicode/ucnv.h>

UConverter* ucnv_open(const char*, UErrorCode* error) {
    *error = U_FILE_ACCESS_ERROR;
    return nullptr;
}
void ucnv_close(UConverter*) {}
void ucnv_convertEx(UConverter*, UConverter*, char**, const char*, const char**, const char*, UChar*, UChar**,
                    UChar**, const UChar*, UBool, UBool, UErrorCode* error) {
    *error = U_UNSUPPORTED_ERROR;
}
void ucnv_setFromUCallBack(UConverter*, UConverterFromUCallback, const void*, UConverterFromUCallback*,
                           const void**, UErrorCode* error) {
    *error = U_UNSUPPORTED_ERROR;
}
void ucnv_setToUCallBack(UConverter*, UConverterToUCallback, const void*, UConverterToUCallback*,
                         const void**, UErrorCode* error) {
    *error = U_UNSUPPORTED_ERROR;
}
void UCNV_FROM_U_CALLBACK_STOP(const void*, UConverterFromUnicodeArgs*, const UChar*, int32_t, UChar32,
                               UConverterCallbackReason, UErrorCode*) {}
void UCNV_TO_U_CALLBACK_STOP(const void*, UConverterToUnicodeArgs*, const char*, int32_t,
                             UConverterCallbackReason, UErrorCode*) {}
#endif
