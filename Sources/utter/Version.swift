/// The version that `utter --version` prints, and that the Debian package has.
let utterVersion = "0.2.0"

/// The date of this version's documentation, for the manual page.
let utterVersionDate = "2026-11-22"
