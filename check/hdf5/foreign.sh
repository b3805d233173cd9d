#!/usr/bin/env bash
# Collects files that strangers wrote into a folder: those in the wheels of tables, h5py, scipy and
# xarray, and new ones of cdo and nco. Then: go run ./check/hdf5 -python PYTHON -files DIR
#
#   check/hdf5/foreign.sh PYTHON DIR
set -euo pipefail
python=$1
dir=$2

packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
(cd "$packages" && find h5py tables scipy xarray -type f \( -name '*.h5' -o -name '*.hdf5' -o -name '*.nc' -o -name '*.nc4' -o -name '*.mat' \) -print0) |
	while IFS= read -r -d '' f; do
		mkdir -p "$dir/wheels/$(dirname "$f")"
		cp "$packages/$f" "$dir/wheels/$f"
	done

mkdir -p "$dir/cdo" "$dir/nco"
cd "$dir/cdo"
for format in nc1 nc2 nc4 nc4c nc5; do
	cdo -s -f $format topo,r72x36 topo-$format.nc
	cdo -s -f $format -b F64 for,1,9 for-$format.nc
	cdo -s -f $format -b I16 -mulc,10 -stdatm,0,1000,9000 atmosphere-$format.nc
	cdo -s -f $format -r -settaxis,2001-01-01,12:00:00,1day -for,1,30 series-$format.nc
	cdo -s -f $format -remapbil,n16 -topo gaussian-$format.nc
done
for format in nc4 nc4c; do
	cdo -s -f $format -z zip topo,r72x36 topo-$format-zip.nc
	cdo -s -f $format -z zip_9 -b F64 -random,r90x45 random-$format-zip.nc
	cdo -s -f $format -z zip -k grid -setmissval,-999 -gec,0 -topo,r72x36 mask-$format-zip.nc
done
cdo -s -f nc4 -remapnn,icoR02B01 -topo unstructured-nc4.nc || rm -f unstructured-nc4.nc

cd "$dir/nco"
source=$dir/cdo/atmosphere-nc4.nc
for format in 3 4 5 6 7; do
	ncks -O -$format "$source" copy-$format.nc
	ncap2 -O -$format -s 'defdim("t",4);defdim("n",7);a[$t,$n]=3.5f;b[$n]={1,2,3,4,5,6,7};c=b*2.0;b@units="m";text="abc"' -v "$source" made-$format.nc
	ncpdq -O -$format "$source" packed-$format.nc
done
for format in 4 7; do
	ncks -O -$format -L 1 "$source" deflated-$format.nc
	ncks -O -$format -L 9 --cnk_dmn lat,1 --cnk_dmn lon,1 "$source" chunked-$format.nc
	ncks -O -$format --mk_rec_dmn level "$source" record-$format.nc || ncks -O -$format --mk_rec_dmn lev "$source" record-$format.nc || true
	ncks -O -$format --ppc default=3 -L 5 "$source" rounded-$format.nc
done
ncecat -O -4 --gag "$dir/cdo/topo-nc4.nc" "$dir/cdo/topo-nc4-zip.nc" groups.nc
ncra -O "$dir/cdo/series-nc4.nc" mean.nc
ncks -O -4 -x -v none_such "$dir/cdo/gaussian-nc2.nc" from-classic.nc 2>/dev/null || ncks -O -4 "$dir/cdo/gaussian-nc2.nc" from-classic.nc
