# ./x package: the stripped program, its service unit, the docs and the examples as one tarball, and the Python client
# as a wheel.
. scripts/build.sh
. scripts/sdk.sh
name=waybill-$(version)-linux-$(uname -m)
out=build/package/$name
rm -rf "$out"
install -D -m 755 build/release/waybill "$out/bin/waybill"
llvm-strip-19 "$out/bin/waybill"
install -D -m 644 deploy/waybill.service "$out/lib/systemd/system/waybill.service"
install -D -m 644 README.md CHANGELOG.md -t "$out/share/doc/waybill"
cp -r docs examples "$out/share/doc/waybill/"
tar -C build/package --owner=0 --group=0 --sort=name -czf "$out.tar.gz" "$name"
(cd build/package && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
build_sdk build/package
ls build/package/*.whl
