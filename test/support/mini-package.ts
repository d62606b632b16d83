/** A Debian source tree that builds with nothing but dpkg, as a script that makes and builds it. */

/** Shell script for a sandbox: builds a package in /build and prints the SHA-256 of the .deb. */
export const MINI_BUILD = `set -e
mkdir -p mini/debian && cd mini
printf 'mini (1.0) unstable; urgency=low\\n\\n  * First.\\n\\n -- T <t@example.org>  Thu, 01 Jan 2026 00:00:00 +0000\\n' > debian/changelog
printf 'Source: mini\\nMaintainer: T <t@example.org>\\nRules-Requires-Root: binary-targets\\n\\nPackage: mini\\nArchitecture: any\\nDescription: small\\n' > debian/control
printf 'int main(void) { return 0; }\\n' > main.c
cat > debian/rules <<'RULES'
#!/usr/bin/make -f
build build-arch build-indep:
	cc -O2 -ffile-prefix-map=$(CURDIR)=. -o mini main.c
binary: binary-arch
binary-indep:
binary-arch: build
	install -D -m 755 mini debian/mini/usr/bin/mini
	chown -R root:root debian/mini
	install -d debian/mini/DEBIAN
	dpkg-gencontrol -Pdebian/mini
	find debian/mini -newermt @$(SOURCE_DATE_EPOCH) -exec touch -h -d @$(SOURCE_DATE_EPOCH) {} +
	dpkg-deb -b debian/mini ..
clean:
	rm -rf mini debian/mini debian/files
RULES
chmod 755 debian/rules
dpkg-buildpackage --no-sign -b >&2
cd .. && sha256sum mini_1.0_*.deb
dpkg-deb -c mini_1.0_*.deb`;
